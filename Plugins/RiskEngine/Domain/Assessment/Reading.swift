/// All that was found in a text.
struct Reading {
  var tokenized: TokenizedText
  var findings: [Finding]
  var matches: [RuleSet.Match]
  var weighing: Weighing
  var features: FeatureExtractor.Features
  var verdict: TextModel.Verdict
  /// The senders that the text names, in the order of the text, each once.
  var senders: [Int]
}

/// The points of the signals that were found, after the caps of their groups.
struct Weighing {
  /// For each match its points after the cap of its group.
  var points: [Double]
  var forPoints: Double
  var againstPoints: Double
  /// By how much evidence against counts.
  var counterFactor: Double
  var ruleLogOdds: Double
  var floor: Double
  /// For each group the sum of its weights, before its cap.
  var sums: [Double]

  /// Evidence against counts less the more speaks for a scam, and nothing from this many points on.
  static let counterFadesAt = 6.0

  /// Weighs signals, each named once, by the rules.
  init(of signals: [Int], by rules: RuleSet) {
    sums = Self.sums(of: signals, by: rules)
    var factors = [Double](repeating: 1, count: sums.count)
    forPoints = 0
    againstPoints = 0
    for (group, sum) in sums.enumerated() where sum != 0 {
      let capped = Self.capped(sum, rules.caps[group])
      factors[group] = capped / sum
      if capped > 0 { forPoints += capped } else { againstPoints -= capped }
    }
    let fade = 1 - min(1, forPoints / Self.counterFadesAt)
    counterFactor = fade
    againstPoints *= fade
    points = signals.map { signal in
      let weight = rules.weights[signal]
      return weight * factors[rules.groups[signal]] * (weight < 0 ? fade : 1)
    }
    floor = 0
    for signal in signals { floor = max(floor, rules.floors[signal]) }
    ruleLogOdds = (forPoints - againstPoints - rules.file.threshold) / rules.file.slope
  }

  /// The points that speak for a scam, after the caps.
  static func points(of signals: some Sequence<Int>, by rules: RuleSet) -> Double {
    zip(sums(of: signals, by: rules), rules.caps).reduce(0) { $0 + capped($1.0, $1.1) }
  }

  private static func sums(of signals: some Sequence<Int>, by rules: RuleSet) -> [Double] {
    var sums = [Double](repeating: 0, count: rules.caps.count)
    for signal in signals { sums[rules.groups[signal]] += rules.weights[signal] }
    return sums
  }

  @inline(__always)
  private static func capped(_ sum: Double, _ cap: Double) -> Double { max(-cap, min(cap, sum)) }
}

/// How a score came about, step by step.
public struct Calculation: Sendable, Hashable {
  /// A signal that was found.
  public struct Signal: Sendable, Hashable {
    /// Its name and its group.
    public var id: String
    /// The group whose cap holds for it.
    public var group: String
    /// Its points in the rules.
    public var weight: Double
    /// Its points after the cap of its group and the fading.
    public var points: Double
    /// Where it was found; nil for the text as a whole.
    public var span: ByteSpan?
    /// The sender that it is about, by its id.
    public var sender: String?
  }

  /// A group of signals.
  public struct Group: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// The sum of the weights found.
    public var sum: Double
    /// The largest sum that counts.
    public var cap: Double
  }

  /// A word and how much it moves the model.
  public struct Word: Sendable, Hashable {
    /// Where it stands.
    public var span: ByteSpan
    /// Its share of the largest, -1 to 1.
    public var weight: Double
  }

  /// The verdict.
  public var assessment: Assessment
  /// The signals, in the order of the text.
  public var signals: [Signal]
  /// Their groups.
  public var groups: [Group]
  /// Points for a scam, after the caps.
  public var forPoints: Double
  /// Points against one, after caps and fading.
  public var againstPoints: Double
  /// By how much evidence against counts.
  public var counterFactor: Double
  /// The log-odds of the rules.
  public var ruleLogOdds: Double
  /// The model's log-odds before the calibration.
  public var modelRaw: Double
  /// The calibrated ones.
  public var modelLogOdds: Double
  /// The part of the text that the model found most telling.
  public var window: ByteSpan?
  /// The words of that part that move the model most, strongest first.
  public var words: [Word]
  /// The log-odds of the score before the floor.
  public var blendedLogOdds: Double
  /// The score is at least this.
  public var floor: Double
  /// The links of the text.
  public var links: [LinkReport]
  /// The senders that the text names, by their ids.
  public var senders: [String]

  static let mostWords = 10
}

extension RiskEngine {
  /// The whole calculation behind a score.
  public func explain(
    _ text: NormalizedText, _ circumstances: Circumstances, bands: Bands
  ) -> Calculation {
    let reading = read(text, circumstances)
    let assessment = assessment(of: reading, text, circumstances, bands)
    let weighing = reading.weighing
    let signals = zip(reading.matches, weighing.points).map { match, points in
      let rule = rules.signals[match.signal].rule
      return Calculation.Signal(
        id: rule.id, group: rule.group, weight: rule.weight, points: points,
        span: span(text, reading, match.tokens),
        sender: sender(of: match, reading))
    }
    let groups = weighing.sums.indices.filter { weighing.sums[$0] != 0 }.map {
      Calculation.Group(name: rules.groupNames[$0], sum: weighing.sums[$0], cap: rules.caps[$0])
    }
    let modelLogOdds = model.calibrated(reading.verdict.raw)
    let window = reading.verdict.window
    return Calculation(
      assessment: assessment, signals: signals, groups: groups, forPoints: weighing.forPoints,
      againstPoints: weighing.againstPoints, counterFactor: weighing.counterFactor,
      ruleLogOdds: weighing.ruleLogOdds, modelRaw: reading.verdict.raw,
      modelLogOdds: modelLogOdds,
      window: window.isEmpty
        ? nil : span(text, reading, window.lowerBound...(window.upperBound - 1)),
      words: words(of: text, reading), blendedLogOdds: blend(modelLogOdds, weighing.ruleLogOdds),
      floor: weighing.floor,
      links: reading.tokenized.links.map { link in
        let token = reading.tokenized.tokens[link.token]
        return catalogue.report(on: link, span: text.span(of: token.range))
      },
      senders: reading.senders.map { senders.entries[$0].id })
  }

  private func words(of text: NormalizedText, _ reading: Reading) -> [Calculation.Word] {
    let window = reading.verdict.window
    let weights = model.contributions(of: reading.features, in: window)
    guard let largest = weights.map(abs).max(), largest > 0 else { return [] }
    let order = weights.indices.sorted { (abs(weights[$1]), $0) < (abs(weights[$0]), $1) }
    return order.prefix(Calculation.mostWords).filter { weights[$0] != 0 }.map { index in
      Calculation.Word(
        span: text.span(of: reading.tokenized.tokens[window.lowerBound + index].range),
        weight: Double(weights[index]) / Double(largest))
    }
  }
}

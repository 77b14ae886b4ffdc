/// Figures of a classifier on scored texts.
public struct Figures: Codable, Sendable {
  /// How many texts, and how many scams among them.
  public var texts = 0
  /// Scams.
  public var scams = 0
  /// At the threshold: how many flagged texts are scams.
  public var precision: Double?
  /// At the threshold: how many scams are flagged.
  public var recall: Double?
  /// The harmonic mean of both.
  public var f1: Double?
  /// The probability that a scam scores higher than another text.
  public var auc: Double?
  /// How many scams score above all but one in 200 of the legitimate texts.
  public var recallAtHalfPercent: Double?
  /// The expected calibration error over ten bins.
  public var ece = 0.0
  /// The same of scams and legitimate texts alone: where marketing ends and fraud begins,
  /// collections are not of one mind.
  public var eceWithoutMarketing = 0.0
  /// At the threshold: how many legitimate texts are flagged.
  public var falsePositivesLegit: Double?
  /// At the threshold: how many marketing texts are flagged.
  public var falsePositivesSpam: Double?

  /// Counts.
  ///
  /// - Parameters:
  ///   - scored: label and score of each text.
  ///   - threshold: scores from here on are flagged.
  ///   - ham: scores of the legitimate texts that decide where one in 200 is; those of `scored`
  ///     when it is nil.
  public init(
    _ scored: [(label: String, score: Double)], threshold: Double, ham: [Double]? = nil
  ) {
    texts = scored.count
    let scamScores = scored.filter { $0.label == "scam" }.map(\.score)
    let legit = scored.filter { $0.label == "legit" }.map(\.score)
    let spam = scored.filter { $0.label == "spam" }.map(\.score)
    scams = scamScores.count
    func share(_ scores: [Double]) -> Double? {
      scores.isEmpty
        ? nil : Double(scores.filter { $0 >= threshold }.count) / Double(scores.count)
    }
    recall = share(scamScores)
    falsePositivesLegit = share(legit)
    falsePositivesSpam = share(spam)
    let flagged = scored.filter { $0.score >= threshold }
    if !scamScores.isEmpty, !flagged.isEmpty {
      precision = Double(flagged.filter { $0.label == "scam" }.count) / Double(flagged.count)
    }
    if let precision, let recall, precision + recall > 0 {
      f1 = 2 * precision * recall / (precision + recall)
    }
    let sorted = (ham ?? legit).sorted(by: >)
    if !sorted.isEmpty, !scamScores.isEmpty {
      let edge = sorted[sorted.count / 200]
      recallAtHalfPercent =
        Double(scamScores.filter { $0 > edge }.count) / Double(scamScores.count)
    }
    auc = Self.areaUnderCurve(positive: scamScores, negative: legit + spam)
    ece = Self.calibrationError(scored)
    eceWithoutMarketing = Self.calibrationError(scored.filter { $0.label != "spam" })
  }

  /// The area under the ROC curve by ranks; ties count half.
  static func areaUnderCurve(positive: [Double], negative: [Double]) -> Double? {
    guard !positive.isEmpty, !negative.isEmpty else { return nil }
    let all =
      positive.map { ($0, true) } + negative.map { ($0, false) }
    let sorted = all.sorted { $0.0 < $1.0 }
    var sum = 0.0
    var start = 0
    while start < sorted.count {
      var end = start
      while end < sorted.count, sorted[end].0 == sorted[start].0 { end += 1 }
      let rank = Double(start + end + 1) / 2
      sum += rank * Double(sorted[start..<end].filter(\.1).count)
      start = end
    }
    let n = Double(positive.count)
    return (sum - n * (n + 1) / 2) / (n * Double(negative.count))
  }

  /// The mean distance between score and frequency over ten bins.
  static func calibrationError(_ scored: [(label: String, score: Double)]) -> Double {
    guard !scored.isEmpty else { return 0 }
    var bins = [(count: Int, score: Double, scams: Int)](repeating: (0, 0, 0), count: 10)
    for text in scored {
      let bin = min(9, Int(text.score * 10))
      bins[bin].count += 1
      bins[bin].score += text.score
      bins[bin].scams += text.label == "scam" ? 1 : 0
    }
    return bins.reduce(0) { $0 + abs($1.score - Double($1.scams)) } / Double(scored.count)
  }
}

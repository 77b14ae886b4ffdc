/// What is known of a text without its words: all that may leave a device.
public struct FeatureVector: Sendable, Hashable {
  /// The version that this engine writes and reads.
  public static let currentVersion = 1
  /// The most link domains, signals and suspects that a vector names; what a hostile one holds
  /// beyond them is not read.
  public static let mostNames = 256
  /// The most link domains that are written.
  static let mostLinkDomains = 16
  /// The probabilities that a model score is kept between, so that one that is absent can be told.
  static let modelScores = 0.001...0.999

  /// The version of the vector.
  public var version: Int
  /// The person's language, the first part of a BCP 47 tag.
  public var language: String
  /// How many Unicode scalars the text has.
  public var lengthCharacters: Int
  /// Whether the text holds a link.
  public var hasLinks: Bool
  /// Registrable domains of short links and of look-alikes; buckets for all others.
  public var linkDomains: [String]
  /// The names of the signals that were found.
  public var signals: [String]
  /// The ids of the senders that the text seems to pose as.
  public var brandSuspects: [String]
  /// The part of the person's day; nil when it is not known.
  public var timeOfDay: LocalTime.PartOfDay?
  /// The text model's calibrated probability; nil when no model read the text.
  public var modelScore: Double?

  /// A vector of all its fields; the channel and the state stay with the caller.
  public init(
    version: Int, language: String, lengthCharacters: Int, hasLinks: Bool, linkDomains: [String],
    signals: [String], brandSuspects: [String], timeOfDay: LocalTime.PartOfDay?,
    modelScore: Double?
  ) {
    self.version = version
    self.language = language
    self.lengthCharacters = lengthCharacters
    self.hasLinks = hasLinks
    self.linkDomains = linkDomains
    self.signals = signals
    self.brandSuspects = brandSuspects
    self.timeOfDay = timeOfDay
    self.modelScore = modelScore
  }

  /// A verdict on a vector.
  public struct Verdict: Sendable, Hashable {
    /// The verdict; its reasons have no spans.
    public var assessment: Assessment
    /// Signals that the rules do not know.
    public var unknownSignals: [String]
    /// Whether the vector is of a version that the engine does not know.
    public var isNewer: Bool
  }
}

extension RiskEngine {
  /// What may leave the device of a text. Whether anything may, the caller has asked before.
  public func featureVector(
    of text: NormalizedText, scalarCount: Int, _ circumstances: Circumstances, bands: Bands
  ) -> FeatureVector {
    let reading = read(text, circumstances)
    let modelLogOdds = model.calibrated(reading.verdict.raw)
    let probability = DeterministicMath.sigmoid(modelLogOdds)
    let rounded = (probability * 1000).rounded(.toNearestOrEven) / 1000
    let bounds = FeatureVector.modelScores
    let score = score(modelLogOdds: modelLogOdds, reading.weighing)
    var domains: [String] = []
    for link in reading.tokenized.links {
      let name = catalogue.nameOrBucket(of: link)
      if !domains.contains(name), domains.count < FeatureVector.mostLinkDomains {
        domains.append(name)
      }
    }
    return FeatureVector(
      version: FeatureVector.currentVersion, language: circumstances.language,
      lengthCharacters: scalarCount, hasLinks: !reading.tokenized.links.isEmpty,
      linkDomains: domains, signals: reading.matches.map { rules.signals[$0.signal].rule.id },
      brandSuspects: bands.level(of: score) == .low
        ? [] : suspects(reading),
      timeOfDay: circumstances.partOfDay,
      modelScore: max(bounds.lowerBound, min(bounds.upperBound, rounded)))
  }

  /// Scores a vector, as `assess` scores the text that it was made of.
  public func assess(_ vector: FeatureVector, bands: Bands) -> FeatureVector.Verdict {
    var unknown: [String] = []
    var signals: [Int] = []
    for name in vector.signals.prefix(FeatureVector.mostNames) {
      guard let signal = rules.signal(named: name) else {
        if !unknown.contains(name) { unknown.append(name) }
        continue
      }
      if !signals.contains(signal) { signals.append(signal) }
    }
    let weighing = Weighing(of: signals, by: rules)
    let modelLogOdds = vector.modelScore.map { score in
      let bounds = FeatureVector.modelScores
      let p = max(bounds.lowerBound, min(bounds.upperBound, score))
      return DeterministicMath.logarithm(p / (1 - p))
    }
    let score = score(modelLogOdds: modelLogOdds, weighing)
    let level = bands.level(of: score)
    let evidence = evidence(modelLogOdds: modelLogOdds, weighing)
    let suspect = vector.brandSuspects.prefix(FeatureVector.mostNames)
      .first { senderName($0) != nil }
    func reasons(for side: Double, total: Double, unit: Double) -> [Assessment.Reason] {
      guard total > 0 else { return [] }
      var all = zip(signals, weighing.points).filter { $1 * side > 0 }.map { signal, points in
        reason(signal, share: points * side * unit / total, span: nil, sender: suspect)
      }
      if side > 0, evidence.model > 0 {
        all.append(Assessment.Reason(signal: Self.modelSignal, share: evidence.model / total))
      }
      return Self.strongest(all)
    }
    // A word is five or six characters long on average; only very short texts lower the confidence.
    let words = vector.lengthCharacters / 5
    let assessment = Assessment(
      score: score, level: level,
      category: level == .low
        ? nil : category(signals, weighing, vector.brandSuspects),
      confidence: confidence(
        score: score, words: words, isEnglish: vector.language == "en", language: vector.language,
        modelLogOdds: modelLogOdds ?? 0, ruleLogOdds: weighing.ruleLogOdds),
      reasons: level == .low
        ? [] : reasons(for: 1, total: evidence.total, unit: evidence.ruleUnit),
      counterEvidence: level == .high
        ? [] : reasons(for: -1, total: weighing.againstPoints, unit: 1))
    return FeatureVector.Verdict(
      assessment: assessment, unknownSignals: unknown,
      isNewer: vector.version > FeatureVector.currentVersion)
  }
}

/// Scores texts: rules and a text model, blended. A value without state; the same text gives the
/// same bits on every machine.
public struct RiskEngine: Sendable {
  /// What the two halves of the engine say, before they are blended. The trainer fits on it.
  public struct Evidence: Sendable, Hashable {
    /// The model's raw log-odds.
    public var modelRaw: Double
    /// The rules' log-odds.
    public var ruleLogOdds: Double
    /// The highest floor that a signal sets; 0 when none does.
    public var floor: Double
    /// The tokens of the window on which the model's word rests.
    public var window: Range<Int>
  }

  /// The longest text that a service takes, in bytes of UTF-8. The engine itself reads texts of any
  /// length.
  public static let maximumTextBytes = 65536
  /// The most senders that are told apart in a text.
  static let mostSenders = 8

  /// The rules.
  public let rules: RuleSet
  /// The model.
  public var model: TextModel
  /// The version of the model.
  public let modelVersion: String
  let senders: SenderDirectory
  let catalogue: DomainCatalogue
  let tokenizer: Tokenizer

  /// An engine of compiled parts.
  public init(bundle: RuleBundle, model: TextModel, modelVersion: String) {
    rules = bundle.rules
    senders = bundle.senders
    catalogue = bundle.catalogue
    self.model = model
    self.modelVersion = modelVersion
    tokenizer = Tokenizer(
      lexicon: rules.lexicon, reader: LinkReader(catalogue: catalogue, lexicon: rules.lexicon))
  }

  /// Which rules and model answer: `rules 1.0.0, model 1.0.0`.
  public var version: String { "rules \(rules.version), model \(modelVersion)" }

  /// Tells what a link's address alone says.
  public var links: LinkInspector { LinkInspector(catalogue) }

  /// What people call a sender or a brand; nil when it is not known.
  public func senderName(_ id: String) -> String? {
    senders.entry(id)?.name ?? catalogue.brands.first { $0.id == id }?.name
  }

  /// The features of a text, for training.
  public func features(of text: String) -> FeatureExtractor.Features {
    let normalized = NormalizedText(text)
    var tokenized = tokenizer.tokenize(normalized)
    addWholeTextFindings(normalized, Circumstances(), &tokenized)
    return FeatureExtractor.features(
      of: normalized, tokenized, findings: rules.findings(in: tokenized),
      atomFeatures: rules.atomFeatures)
  }

  /// What rules and model say of a text, for training.
  public func evidence(on text: String) -> Evidence {
    let reading = read(NormalizedText(text), Circumstances())
    return Evidence(
      modelRaw: reading.verdict.raw, ruleLogOdds: reading.weighing.ruleLogOdds,
      floor: reading.weighing.floor, window: reading.verdict.window)
  }

  /// Scores a text.
  public func assess(
    _ text: String, _ circumstances: Circumstances = Circumstances(), bands: Bands = .standard
  ) -> Assessment {
    assess(NormalizedText(text), circumstances, bands: bands)
  }

  /// Scores a text that is normalised already.
  public func assess(
    _ text: NormalizedText, _ circumstances: Circumstances, bands: Bands
  ) -> Assessment {
    assessment(of: read(text, circumstances), text, circumstances, bands)
  }

  func assessment(
    of reading: Reading, _ text: NormalizedText, _ circumstances: Circumstances, _ bands: Bands
  ) -> Assessment {
    let modelLogOdds = model.calibrated(reading.verdict.raw)
    let score = score(modelLogOdds: modelLogOdds, reading.weighing)
    let level = bands.level(of: score)
    let evidence = evidence(modelLogOdds: modelLogOdds, reading.weighing)
    return Assessment(
      score: score, level: level, category: level == .low ? nil : category(reading),
      confidence: confidence(
        text, reading, score: score, modelLogOdds: modelLogOdds, circumstances),
      reasons: level == .low ? [] : reasons(text, reading, evidence),
      counterEvidence: level == .high ? [] : counterEvidence(text, reading))
  }

  /// The score of both halves together.
  ///
  /// - Parameter modelLogOdds: nil when no model read the text.
  func score(modelLogOdds: Double?, _ weighing: Weighing) -> Double {
    let blended = modelLogOdds.map { blend($0, weighing.ruleLogOdds) } ?? weighing.ruleLogOdds
    // A floor is soft at its edge: what is above it stays, so that more evidence still shows.
    return max(DeterministicMath.sigmoid(blended), weighing.floor)
  }

  /// The log-odds of the two halves together.
  func blend(_ modelLogOdds: Double, _ ruleLogOdds: Double) -> Double {
    let parameters = model.parameters
    let mixed = parameters.share * modelLogOdds + (1 - parameters.share) * ruleLogOdds
    return max(-20, min(20, parameters.blendSlope * mixed + parameters.blendOffset))
  }
}

public import KithRPC
import KithWire
public import RiskContract
import RiskEngineDomain
import Synchronization

/// The risk engine behind its contract: checks requests, asks the domain, words the answer.
///
/// It keeps nothing of a text, and no error or log repeats one.
public final class RiskEngineService: RiskEngineHandler {
  private let bundle: ResourceBundle
  private let settings: Mutex<RiskEngineSettings>

  /// A service over resources that are loaded already.
  public init(bundle: ResourceBundle, settings: RiskEngineSettings = .standard) {
    self.bundle = bundle
    self.settings = Mutex(settings)
  }

  /// A service over the resources in a folder.
  ///
  /// - Throws: FAILED_PRECONDITION, naming the file, when one is missing, damaged or does not match its checksum.
  public convenience init(resources folder: String, settings: RiskEngineSettings) throws(RPCError) {
    do throws(ResourceError) {
      self.init(bundle: try ResourceBundle(folder: folder), settings: settings)
    } catch {
      throw RPCError(.failedPrecondition, "\(error)")
    }
  }

  /// Answers from now on by these settings.
  public func use(_ settings: RiskEngineSettings) {
    self.settings.withLock { $0 = settings }
  }

  /// What the worker serves.
  public var definition: ServiceDefinition { .riskEngine(self) }

  // MARK: - Methods

  /// Scores a text; INVALID_ARGUMENT names the field that is wrong.
  public func analyze(_ request: AnalyzeRequest, context: CallContext) async throws
    -> AnalyzeResponse
  {
    try answer(request)
  }

  /// Tells which rules and which model answer.
  public func getModel(_ request: GetModelRequest, context: CallContext) async throws
    -> GetModelResponse
  {
    GetModelResponse(
      rulesVersion: bundle.engine.rules.version,
      signalCount: UInt32(bundle.engine.rules.signalCount),
      modelVersion: bundle.metadata.version, modelChecksum: bundle.metadata.sha256,
      trainingTexts: UInt32(clamping: bundle.metadata.trainingTexts),
      figures: bundle.metadata.figures)
  }

  /// The answer to a request.
  ///
  /// - Throws: INVALID_ARGUMENT naming `text`, `locale` or `state`.
  func answer(_ request: AnalyzeRequest) throws(RPCError) -> AnalyzeResponse {
    let limit = RiskEngine.maximumTextBytes
    guard request.text.utf8.count <= limit else {
      throw .invalidArgument(
        field: "text",
        "it has \(request.text.utf8.count) bytes, at most \(limit) are taken; send the part in doubt"
      )
    }
    let text = NormalizedText(request.text)
    guard !text.isBlank else {
      throw .invalidArgument(field: "text", "it is empty; send the text as it was received")
    }
    let circumstances = RiskEngine.Circumstances(
      senderIsContact: request.senderIsContact ?? false,
      language: try Self.language(of: request.locale), state: try state(request.state))
    let assessment = bundle.engine.assess(
      text, circumstances, bands: settings.withLock { $0.bands })
    return Self.response(assessment, version: bundle.engine.version)
  }

  // MARK: - Checking

  /// The language of a BCP 47 tag; English when there is none.
  static func language(of tag: String) throws(RPCError) -> String {
    guard !tag.isEmpty else { return "en" }
    let parts = tag.utf8.split(
      omittingEmptySubsequences: false, whereSeparator: { $0 == 0x2D || $0 == 0x5F })
    func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
    let isTag =
      tag.utf8.count <= 35
      && parts.allSatisfy { part in
        (1...8).contains(part.count) && part.allSatisfy { isLetter($0) || $0 &- 0x30 < 10 }
      }
    guard isTag, let first = parts.first, (2...8).contains(first.count),
      first.allSatisfy(isLetter)
    else {
      throw .invalidArgument(field: "locale", "expected a BCP 47 tag such as en-US")
    }
    return String(decoding: first, as: UTF8.self).lowercased()
  }

  /// The code of a state in upper case; empty when there is none.
  private func state(_ code: String) throws(RPCError) -> String {
    guard !code.isEmpty else { return "" }
    let upper = code.utf8.count == 2 ? code.uppercased() : code
    guard bundle.engine.knows(state: upper) else {
      throw .invalidArgument(
        field: "state", "expected the two letters of a US state or territory such as WA")
    }
    return upper
  }

  // MARK: - Wording

  private static func response(_ assessment: Assessment, version: String) -> AnalyzeResponse {
    let (level, label): (Level, Label) =
      switch assessment.level {
      case .low: (.low, .likelySafe)
      case .medium: (.medium, .suspicious)
      case .high: (.high, .likelyScam)
      }
    return AnalyzeResponse(
      score: assessment.score, score100: UInt32(assessment.score100), level: level, label: label,
      category: assessment.category.map { Category(rawValue: Int32($0.rawValue)) } ?? .unspecified,
      confidence: assessment.confidence, reasons: assessment.reasons.map(reason),
      counterEvidence: assessment.counterEvidence.map(reason), nextStep: assessment.nextStep,
      contacts: assessment.contacts.map {
        Contact(name: $0.name, purpose: $0.purpose, phone: $0.phone, url: $0.url)
      }, engineVersion: version)
  }

  private static func reason(_ reason: Assessment.Reason) -> Reason {
    Reason(
      signal: reason.signal, sentence: reason.sentence, share: reason.share,
      span: reason.span.map { Span(start: UInt32($0.start), end: UInt32($0.end)) })
  }
}

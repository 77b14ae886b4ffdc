import KithPersonalData
public import KithRPC
import KithTime
import KithWire
public import RiskContract
import RiskEngineDomain
import Synchronization

/// The risk engine behind its contract: checks requests, asks the domain, words the answer.
///
/// It keeps nothing of a text, and no error or log repeats one.
public final class RiskEngineService: RiskEngineHandler {
  private struct State {
    var bundle: ResourceBundle
    var settings: RiskEngineSettings
    /// Why a bundle that was asked for is not the one that answers.
    var problem: String?
  }

  private let state: Mutex<State>
  /// The folder of the bundle that ships; nil when the service was given one that is loaded.
  private let resources: String?
  private let scanner = PersonalDataScanner()
  private let zones = Zones()
  private static let longestLink = 4096

  /// A service over resources that are loaded already.
  public init(bundle: ResourceBundle, settings: RiskEngineSettings = .standard) {
    state = Mutex(State(bundle: bundle, settings: settings))
    resources = nil
  }

  /// A service over the resources in a folder, or the bundle beside it that the settings name.
  ///
  /// - Throws: FAILED_PRECONDITION, naming the file, when one in `folder` is missing, damaged or
  ///   does not match its checksum.
  public init(resources folder: String, settings: RiskEngineSettings) throws(RPCError) {
    do throws(ResourceError) {
      state = Mutex(State(bundle: try ResourceBundle(folder: folder), settings: .standard))
    } catch {
      throw RPCError(.failedPrecondition, "\(error)")
    }
    resources = folder
    use(settings)
  }

  /// Answers from now on by these settings. A bundle that they name and that is damaged changes
  /// nothing of the answers; `GetModel` tells why.
  public func use(_ settings: RiskEngineSettings) {
    let before = state.withLock { state in
      defer { state.settings = settings }
      return state.settings.bundle
    }
    guard let resources, settings.bundle != before else { return }
    useBundle(in: settings.bundle.isEmpty ? resources : "\(resources)/../\(settings.bundle)")
  }

  /// Answers from now on by the bundle in a folder. One that is damaged changes nothing: the last
  /// good one goes on answering, and `GetModel` tells why.
  ///
  /// - Returns: what is wrong with the bundle; nil when it answers now.
  @discardableResult public func useBundle(in folder: String) -> String? {
    do throws(ResourceError) {
      let bundle = try ResourceBundle(folder: folder)
      state.withLock { state in
        state.bundle = bundle
        state.problem = nil
      }
      return nil
    } catch {
      state.withLock { $0.problem = error.description }
      return error.description
    }
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

  /// Shows the calculation behind a score.
  public func explain(_ request: AnalyzeRequest, context: CallContext) async throws -> Explanation {
    let message = try message(request)
    return message.wording.explanation(
      message.engine.explain(message.text, message.circumstances, bands: message.bands))
  }

  /// Makes a feature vector, unless the text holds what must not leave in any form.
  public func buildFeatures(_ request: AnalyzeRequest, context: CallContext) async throws
    -> BuildFeaturesResponse
  {
    let message = try message(request)
    // The whole transmission stops, not only the text: a score says something of it, too.
    let stopping = scanner.scrub(request.text).stoppingTypes
    guard stopping.isEmpty else {
      return BuildFeaturesResponse(withheldFor: stopping.map(\.name))
    }
    let vector = message.engine.featureVector(
      of: message.text, scalarCount: request.text.unicodeScalars.count, message.circumstances,
      bands: message.bands)
    return BuildFeaturesResponse(
      features: FeatureVector(
        vector, channel: request.channel, state: message.wording.state?.code ?? ""))
  }

  /// Scores a feature vector; INVALID_ARGUMENT names the field that is wrong.
  public func analyzeFeatures(
    _ request: RiskContract.FeatureVector, context: CallContext
  ) async throws -> AnalyzeFeaturesResponse {
    let vector = try request.checked()
    let (bundle, settings) = current
    let state = try Self.state(request.state, bundle)
    let verdict = bundle.engine.assess(vector, bands: settings.bands)
    return AnalyzeFeaturesResponse(
      verdict: Wording(bundle: bundle, language: vector.language, state: state).response(
        verdict.assessment),
      unknownSignals: verdict.unknownSignals, newerVersion: verdict.isNewer)
  }

  /// Reads a link's name; INVALID_ARGUMENT when it is none.
  public func inspectLink(_ request: InspectLinkRequest, context: CallContext) async throws
    -> RiskContract.LinkReport
  {
    guard request.link.utf8.count <= Self.longestLink else {
      throw RPCError.invalidArgument(
        field: "link", "it has more than \(Self.longestLink) bytes; send the host name")
    }
    guard let report = current.bundle.engine.links.inspect(request.link) else {
      throw RPCError.invalidArgument(
        field: "link", "expected a web address or a host name such as example.com/path")
    }
    return Wording.link(report)
  }

  /// Lists the signals of the rules.
  public func listRules(_ request: ListRulesRequest, context: CallContext) async throws
    -> ListRulesResponse
  {
    let bundle = current.bundle
    let wording = Wording(bundle: bundle, language: "en", state: nil)
    let rules = bundle.engine.rules
    let all = rules.signalRules.map(wording.rule).filter {
      (request.group.isEmpty || $0.group == request.group)
        && (request.category == .unspecified || $0.category == request.category)
    }
    guard !all.isEmpty || request.group.isEmpty || rules.groupNames.contains(request.group) else {
      throw RPCError.invalidArgument(
        field: "group",
        "there is none of that name; expected "
          + rules.groupNames.joined(separator: ", "))
    }
    return ListRulesResponse(version: rules.version, rules: all)
  }

  /// Tells which rules and which model answer.
  public func getModel(_ request: GetModelRequest, context: CallContext) async throws
    -> GetModelResponse
  {
    let (bundle, problem) = state.withLock { ($0.bundle, $0.problem) }
    return GetModelResponse(
      rulesVersion: bundle.engine.rules.version,
      signalCount: UInt32(bundle.engine.rules.signalCount),
      modelVersion: bundle.metadata.version, modelChecksum: bundle.metadata.sha256,
      trainingTexts: UInt32(clamping: bundle.metadata.trainingTexts),
      figures: bundle.metadata.figures, createdAt: bundle.metadata.createdAt ?? "",
      languages: bundle.strings.keys.sorted(), bundleProblem: problem ?? "")
  }

  /// The answer to a request.
  ///
  /// - Throws: INVALID_ARGUMENT naming `text`, `locale`, `state`, `sender` or `time_zone`.
  func answer(_ request: AnalyzeRequest) throws(RPCError) -> AnalyzeResponse {
    let message = try message(request)
    return message.wording.response(
      message.engine.assess(message.text, message.circumstances, bands: message.bands))
  }

  // MARK: - Checking

  /// A request that was checked.
  private struct Message {
    var text: NormalizedText
    var circumstances: Circumstances
    var wording: Wording
    var bands: Bands
    var engine: RiskEngine { wording.bundle.engine }
  }

  private var current: (bundle: ResourceBundle, settings: RiskEngineSettings) {
    state.withLock { ($0.bundle, $0.settings) }
  }

  private func message(_ request: AnalyzeRequest) throws(RPCError) -> Message {
    let limit = RiskEngine.maximumTextBytes
    guard request.text.utf8.count <= limit else {
      throw .invalidArgument(
        field: "text",
        "it has \(request.text.utf8.count) bytes, at most \(limit) are taken; send the part in doubt"
      )
    }
    let text = NormalizedText(request.text)
    guard !text.isBlank || !request.sender.isEmpty else {
      throw .invalidArgument(
        field: "text", "it is empty; send the text as it was received, or the `sender` of a call")
    }
    var sender: SenderAddress?
    if !request.sender.isEmpty {
      sender = SenderAddress(request.sender)
      // A carrier also lets firms send under a name (`MYBANK`); such a name says nothing.
      guard sender != nil || request.sender.utf8.count <= SenderAddress.maximumBytes else {
        throw .invalidArgument(
          field: "sender", "it has more than \(SenderAddress.maximumBytes) bytes")
      }
      guard sender != nil || !text.isBlank else {
        throw .invalidArgument(
          field: "sender",
          "without a text, expected a telephone number in E.164 (a plus and its digits), a short code or an "
            + "e-mail address")
      }
    }
    let (bundle, settings) = current
    let language = try Self.language(of: request.locale)
    let state = try Self.state(request.state, bundle)
    let circumstances = Circumstances(
      senderIsContact: request.senderIsContact ?? false, language: language, sender: sender,
      localTimes: try localTimes(request, state),
      suspectedNumbers: settings.suspectedNumbers)
    return Message(
      text: text, circumstances: circumstances,
      wording: Wording(bundle: bundle, language: language, state: state), bands: settings.bands)
  }

  /// What time it may be where the person is.
  private func localTimes(
    _ request: AnalyzeRequest, _ state: ContactFile.State?
  ) throws(RPCError) -> [LocalTime] {
    let named = request.timeZone
    if !named.isEmpty {
      do throws(ZoneError) {
        _ = try zones.zone(named: named)
      } catch {
        throw .invalidArgument(
          field: "time_zone", "expected an IANA name such as America/New_York")
      }
    }
    guard request.receivedAtMs != 0 else { return [] }
    let names =
      named.isEmpty ? (state?.zones.split(separator: " ").map(String.init) ?? []) : [named]
    let instant = Instant(milliseconds: Int(request.receivedAtMs))
    return names.compactMap { name in
      guard let civil = try? zones.zone(named: name).civil(at: instant) else { return nil }
      let weekday = civil.date.weekday.rawValue
      return LocalTime(
        weekday: weekday, minute: civil.time.hour * 60 + civil.time.minute,
        isHoliday: FederalHoliday.contains(
          month: civil.date.month, day: civil.date.day, weekday: weekday))
    }
  }

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

  /// The state of a code; nil when there is none.
  private static func state(
    _ code: String, _ bundle: ResourceBundle
  ) throws(RPCError) -> ContactFile.State? {
    guard !code.isEmpty else { return nil }
    let upper = code.utf8.count == 2 ? code.uppercased() : code
    guard let state = bundle.contacts.state(upper) else {
      throw .invalidArgument(
        field: "state", "expected the two letters of a US state or territory such as WA")
    }
    return state
  }
}

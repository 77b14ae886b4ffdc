import KithRPC
import KithTransportInProcess
import RiskContract
import RiskEngineDomain
import Testing

@testable import RiskEngineService

struct RiskEngineServiceTests {
  private func service(_ settings: RiskEngineSettings = .standard) throws -> RiskEngineService {
    RiskEngineService(bundle: try Fixtures.bundle.get(), settings: settings)
  }

  private func refusedField(_ request: AnalyzeRequest) throws -> String? {
    let service = try service()
    do throws(RPCError) {
      _ = try service.answer(request)
      return nil
    } catch {
      #expect(error.code == .invalidArgument)
      return error.fieldViolations.first?.field
    }
  }

  @Test func answersAsTheContractSays() throws {
    let text = "IRS: a warrant is out for your arrest. Pay $900 in gift cards today"
    let answer = try service().answer(AnalyzeRequest(text: text, channel: .sms, state: "wa"))
    #expect(answer.level == .high && answer.label == .likelyScam)
    #expect(answer.score100 == UInt32((100 * answer.score).rounded()))
    #expect(answer.category == .governmentImpersonation)
    #expect((1...3).contains(answer.reasons.count))
    #expect(answer.recommendedActions.first?.title.isEmpty == false)
    #expect(answer.recommendedActions.allSatisfy { !$0.steps.isEmpty })
    #expect(answer.federalContacts.contains { $0.name == "Federal Trade Commission" })
    #expect(answer.stateContacts.map(\.name) == ["Washington State Attorney General"])
    #expect(!answer.legalNote.isEmpty)
    #expect(answer.engineVersion.hasPrefix("rules "))
    let calm = try service().answer(AnalyzeRequest(text: "Your code is 123456. Don't share it"))
    #expect(calm.level == .low && calm.label == .likelySafe && calm.category == .unspecified)
    #expect(!calm.counterEvidence.isEmpty)
  }

  @Test(arguments: [
    (
      "E-ZPass: you have an unpaid toll. Pay now: https://ezpass-pay.top/a",
      RiskContract.Category.toll
    ),
    ("USPS: your package is on hold, update: https://usps-fix.top/a", .delivery),
    (
      "IRS: your tax refund is pending, claim it: https://irs-claim.top/a", .governmentImpersonation
    ),
    ("I recorded you on your webcam. Pay $900 in bitcoin or I send the video to all", .extortion),
    ("Wells Fargo: unusual activity, verify at https://wf-help.top/a", .bankImpersonation),
  ])
  func whoIsNamedDecidesTheKind(text: String, category: RiskContract.Category) throws {
    let answer = try service().answer(AnalyzeRequest(text: text))
    #expect(answer.category == category, "\(answer.category)")
  }

  @Test func whatCannotBeReadIsNotCalledFine() throws {
    let answer = try service().answer(
      AnalyzeRequest(text: "abuela tuve un accidente manda dinero no le digas a mama por favor"))
    #expect(answer.confidence < 0.5)
    if answer.level == .low {
      #expect(answer.recommendedActions.map(\.title) == ["This is hard to judge."])
    }
  }

  @Test func everyCategoryIsOneOfTheContract() {
    for category in ScamCategory.allCases {
      let wire = Category(rawValue: Int32(category.rawValue))
      #expect(wire.name?.lowercased() == category.name)
    }
  }

  @Test(arguments: ["", " ", "\n\t ", "\u{200B}\u{FEFF}", "\u{0}"])
  func refusesBlankTexts(text: String) throws {
    #expect(try refusedField(AnalyzeRequest(text: text)) == "text")
  }

  @Test func takesTextsUpToTheLimit() throws {
    let most = String(repeating: "a", count: RiskEngine.maximumTextBytes)
    #expect(try refusedField(AnalyzeRequest(text: most)) == nil)
    #expect(try refusedField(AnalyzeRequest(text: most + "a")) == "text")
  }

  @Test(arguments: ["\u{1F600}", "a\u{0}b", "\u{4F60}\u{597D}", "x"])
  func takesTextsOfEveryKind(text: String) throws {
    #expect(try refusedField(AnalyzeRequest(text: text)) == nil)
  }

  @Test(arguments: [
    ("WA", true), ("wa", true), ("", true), ("PR", true), ("DC", true), ("XX", false), ("W", false),
    ("Washington", false), ("\u{DF}", false),
  ])
  func checksTheState(state: String, good: Bool) throws {
    #expect(try refusedField(AnalyzeRequest(text: "hello", state: state)) == (good ? nil : "state"))
  }

  @Test(arguments: [
    ("en-US", true), ("", true), ("es", true), ("zh-Hans-CN", true), ("en_US", true), ("e", false),
    ("en-", false), ("-", false), ("en US", false), ("toolonglanguage", false), ("12", false),
  ])
  func checksTheLocale(locale: String, good: Bool) throws {
    #expect(
      try refusedField(AnalyzeRequest(text: "hello", locale: locale)) == (good ? nil : "locale"))
  }

  @Test func errorsNeverRepeatTheText() throws {
    let service = try service()
    do throws(RPCError) {
      _ = try service.answer(AnalyzeRequest(text: "hello", locale: "my secret", state: "secret"))
      Issue.record("accepted")
    } catch {
      #expect(!error.message.contains("secret"))
    }
  }

  @Test func bandsAreChecked() throws {
    _ = try RiskEngineSettings(medium: 0.2, high: 0.9)
    for (medium, high) in [(0.7, 0.35), (0.5, 0.5), (0, 0.5), (0.5, 1.1), (.nan, 0.5), (0.5, .nan)]
    {
      let error = #expect(throws: RPCError.self) {
        try RiskEngineSettings(medium: medium, high: high)
      }
      #expect(error?.message.contains("label_") == true)
    }
    let strict = try service(RiskEngineSettings(medium: 0.0001, high: 0.0002))
    #expect(try strict.answer(AnalyzeRequest(text: "hello there")).level == .high)
  }

  @Test func damagedBundlesAreRefusedByName() throws {
    let bundle = try BundleCopy()
    #expect(bundle.refusal() == "")
    var model = try bundle["model.bin"]
    model[model.count - 1] ^= 1
    try bundle.write(model, to: "model.bin")
    #expect(bundle.refusal().contains("model.bin: the checksum is"))
    try bundle.seal()
    #expect(bundle.refusal().contains("model.json: it is of another model.bin"))
    try bundle.write(Array("{}".utf8), to: "contacts.json")
    try bundle.seal()
    #expect(bundle.refusal().contains("contacts.json: the file lacks `"))
    try bundle.write(Array("{".utf8), to: "rules.json")
    try bundle.seal()
    #expect(bundle.refusal().contains("rules.json: it is not valid JSON"))
    try bundle.remove("rules.json")
    try bundle.seal()
    #expect(bundle.refusal().contains("rules.json is not named"))
    try bundle.remove("SHA256SUMS")
    #expect(bundle.refusal().contains("SHA256SUMS: cannot be read"))
  }

  @Test func anotherLanguageIsAFile() throws {
    let bundle = try BundleCopy()
    let english = String(decoding: try bundle["strings.en.json"], as: UTF8.self)
    let spanish = english.replacing(#""language": "en""#, with: #""language": "es""#)
      .replacing("Hang up or delete it.", with: "Cuelgue o bórrelo.")
    try bundle.write(Array(spanish.utf8), to: "strings.es.json")
    try bundle.seal()
    let service = RiskEngineService(bundle: try ResourceBundle(folder: bundle.folder))
    func title(_ locale: String) throws -> String? {
      try service.answer(
        AnalyzeRequest(
          text: "IRS: a warrant is out for your arrest. Pay $900 in gift cards today",
          locale: locale)
      ).recommendedActions.first?.title
    }
    #expect(try title("es-MX") == "Cuelgue o bórrelo.")
    #expect(try title("en-US") == "Hang up or delete it.")
    #expect(try title("fr") == "Hang up or delete it.", "English where there is no catalogue")
  }

  @Test func aSentenceThatIsMissingIsNamed() throws {
    let bundle = try BundleCopy()
    let text = String(decoding: try bundle["strings.en.json"], as: UTF8.self)
    try bundle.write(
      Array(text.replacing(#""legal_threat""#, with: #""legal_treat""#).utf8),
      to: "strings.en.json")
    try bundle.seal()
    #expect(bundle.refusal().contains("`legal_threat` has no sentence"))
  }

  /// 2026-11-23, a Monday, 03:30 UTC and 18:30 UTC.
  @Test(arguments: [
    (1_795_404_600_000, "", "NY", true), (1_795_458_600_000, "", "NY", false),
    // Half past seven in the evening on Sunday in Seattle, and half past ten on Monday morning.
    (1_795_404_600_000, "America/Los_Angeles", "", true), (1_795_458_600_000, "", "WA", false),
    // Thanksgiving at half past one.
    (1_795_717_800_000, "", "NY", true),
    // Nobody knows where the person is, or when it was.
    (1_795_404_600_000, "", "", false), (0, "", "NY", false),
  ])
  func hoursCountWhereThePersonIs(
    at: Int64, zone: String, state: String, isOff: Bool
  ) async throws {
    let request = AnalyzeRequest(
      text: "IRS: call us about your taxes", state: state, receivedAtMs: at, timeZone: zone)
    let explanation = try await service().explain(request, context: Fixtures.context)
    #expect(explanation.signals.contains { $0.signal == "off_hours_claim" } == isOff)
    #expect(explanation.senders == ["irs"])
  }

  @Test func aZoneThatIsNoneIsRefused() throws {
    #expect(
      try refusedField(AnalyzeRequest(text: "hello", timeZone: "Mars/Olympus")) == "time_zone")
    #expect(
      try refusedField(AnalyzeRequest(text: "hello", timeZone: "../etc/passwd")) == "time_zone")
    #expect(try refusedField(AnalyzeRequest(text: "hello", timeZone: "Asia/Kolkata")) == nil)
  }

  @Test func aCallIsScoredByItsNumber() throws {
    let settings = try RiskEngineSettings(
      medium: 0.35, high: 0.7, suspectedNumbers: ["+12065550101"])
    let suspected = try service(settings).answer(
      AnalyzeRequest(channel: .call, sender: "(206) 555-0101"))
    #expect(suspected.label == .likelyScam)
    #expect(suspected.reasons.map(\.signal) == ["reported_sender"])
    let other = try service(settings).answer(
      AnalyzeRequest(channel: .call, sender: "+12065550102"))
    #expect(suspected.confidence > 0.8)
    #expect(other.level == .low && other.confidence < 0.5)
    #expect(other.recommendedActions.map(\.title) == ["This is hard to judge."])
    #expect(try refusedField(AnalyzeRequest(sender: "MYBANK")) == "sender")
    #expect(try refusedField(AnalyzeRequest(text: "hello", sender: "MYBANK")) == nil)
    #expect(throws: RPCError.self) {
      try RiskEngineSettings(medium: 0.35, high: 0.7, suspectedNumbers: ["555-0101"])
    }
  }

  @Test func theCalculationAddsUp() async throws {
    let service = try service()
    for text in Fixtures.shapes + ["Pay the IRS with gift cards or be arrested, http://irs.top/a"]
    where !NormalizedText(text).isBlank {
      let explanation = try await service.explain(
        AnalyzeRequest(text: text), context: Fixtures.context)
      let sum = explanation.signals.map(\.points).reduce(0, +)
      #expect(abs(sum - explanation.pointsFor + explanation.pointsAgainst) < 1e-9)
      let rules =
        (explanation.pointsFor - explanation.pointsAgainst - explanation.threshold)
        / explanation.slope
      #expect(abs(rules - explanation.ruleLogOdds) < 1e-9)
      let model = try #require(explanation.model)
      let blended =
        explanation.blendSlope
        * (explanation.modelShare * model.logOdds + (1 - explanation.modelShare) * rules)
        + explanation.blendOffset
      #expect(abs(max(-20, min(20, blended)) - explanation.blendedLogOdds) < 1e-9)
      let score = max(explanation.floor, DeterministicMath.sigmoid(explanation.blendedLogOdds))
      #expect(abs(score - (explanation.verdict?.score ?? .nan)) < 1e-12)
      #expect(try service.answer(AnalyzeRequest(text: text)) == explanation.verdict)
    }
  }

  @Test func rulesAreListedAndChosen() async throws {
    let service = try service()
    let all = try await service.listRules(ListRulesRequest(), context: Fixtures.context)
    #expect(all.rules.count > 80 && all.rules.allSatisfy { !$0.sentence.isEmpty })
    let links = try await service.listRules(
      ListRulesRequest(group: "link"), context: Fixtures.context)
    #expect(links.rules.allSatisfy { $0.group == "link" } && links.rules.count > 8)
    let prizes = try await service.listRules(
      ListRulesRequest(category: .prize), context: Fixtures.context)
    #expect(prizes.rules.map(\.id).contains("prize_claim"))
    await #expect(throws: RPCError.self) {
      try await service.listRules(ListRulesRequest(group: "links"), context: Fixtures.context)
    }
  }

  @Test func linksAreInspected() async throws {
    let service = try service()
    func report(_ link: String) async throws -> RiskContract.LinkReport {
      try await service.inspectLink(InspectLinkRequest(link: link), context: Fixtures.context)
    }
    let fake = try await report("http://paypa1.com/login")
    #expect(fake.registrableDomain == "paypa1.com" && fake.bucket == "look_alike")
    #expect(fake.observations.contains("link.lookalike"))
    #expect(try await report("bit.ly/x").bucket == "short_link")
    #expect(try await report("www.irs.gov").bucket == "gov")
    await #expect(throws: RPCError.self) { try await report("hello") }
    await #expect(throws: RPCError.self) { try await report(String(repeating: "a", count: 5000)) }
  }

  @Test func answersCallers() async throws {
    let service = try service()
    let transport = InProcessTransport()
    let server = RPCServer(services: [service.definition], authorize: { _ in true })
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.serve(on: transport.listener) }
      let client = RPCClient(connector: transport.connector)
      let risk = RiskEngineClient(client)
      let answer = try await risk.analyze(
        AnalyzeRequest(text: "read me your code", channel: .call),
        options: CallOptions(waitForReady: true))
      #expect(answer.level != .low)
      #expect(answer.category == .credentialTheft)
      let model = try await risk.getModel(GetModelRequest())
      #expect(
        model.modelChecksum.count == 64 && model.signalCount > 60 && model.trainingTexts > 5000)
      #expect(model.figures["auc"] ?? 0 > 0.9)
      do throws(RPCError) {
        _ = try await risk.analyze(AnalyzeRequest(text: ""))
        Issue.record("accepted an empty text")
      } catch {
        #expect(error.code == .invalidArgument)
        #expect(error.fieldViolations.map(\.field) == ["text"])
      }
      client.close()
      server.beginGracefulShutdown()
      group.cancelAll()
    }
  }
}

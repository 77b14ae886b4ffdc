import Crypto
import FoundationEssentials
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
    let files = FileManager.default
    let folder = files.temporaryDirectory.appending(path: "kith-risk-\(UUID().uuidString)").path
    try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? files.removeItem(atPath: folder) }
    func refusal() -> String {
      do throws(ResourceError) {
        _ = try ResourceBundle(folder: folder)
        return ""
      } catch {
        return error.description
      }
    }
    #expect(refusal().contains("SHA256SUMS: cannot be read"))
    for name in try files.contentsOfDirectory(atPath: Fixtures.resources) {
      try files.copyItem(atPath: "\(Fixtures.resources)/\(name)", toPath: "\(folder)/\(name)")
    }
    #expect(refusal() == "")
    func seal() throws {
      let sums = try files.contentsOfDirectory(atPath: folder).filter { $0 != "SHA256SUMS" }.map {
        let bytes = try #require(files.contents(atPath: "\(folder)/\($0)"))
        return SHA256.hash(data: bytes).map { byte in
          String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined() + "  \($0)"
      }
      try Data(sums.joined(separator: "\n").utf8).write(to: URL(filePath: "\(folder)/SHA256SUMS"))
    }
    var bytes = try #require(files.contents(atPath: "\(folder)/model.bin"))
    bytes[bytes.count - 1] ^= 1
    try bytes.write(to: URL(filePath: "\(folder)/model.bin"))
    #expect(refusal().contains("model.bin: the checksum is"))
    try seal()
    #expect(refusal().contains("model.json: it is of another model.bin"))
    try Data("{}".utf8).write(to: URL(filePath: "\(folder)/contacts.json"))
    try seal()
    #expect(refusal().contains("contacts.json: the file lacks `"))
    try Data("{".utf8).write(to: URL(filePath: "\(folder)/rules.json"))
    try seal()
    #expect(refusal().contains("rules.json: it is not valid JSON"))
    try files.removeItem(atPath: "\(folder)/rules.json")
    try seal()
    #expect(refusal().contains("rules.json is not named"))
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

import Crypto
import FeatureFlagsDomain
import FlagsContract
import FoundationEssentials
import KithAccess
import KithJSON
import KithRPC
import KithSealing
import KithStore
import KithTime
import KithWire
import Synchronization
import Testing

@testable import FeatureFlagsService

/// Flags behind their contract, over a store in memory.
@Suite struct FlagsServiceTests {
  private final class Clock: Sendable {
    let now = Mutex(noon)
  }

  private let store: Store
  private let service: FlagsService
  private let clock = Clock()

  init() throws {
    store = try Store(inMemoryWith: .init(worker: "test"), migrations: FlagsSchema.migrations)
    service = FlagsService(
      store: store, settings: try FlagsSettings(patience: .seconds(90 * 86_400), signingKey: "")
    ) { [clock] in clock.now.withLock(\.self) }
  }

  private func call(as user: String? = nil, _ principal: Principal = .operator) -> CallContext {
    CallContext(
      method: FlagsMethods.putFlag, metadata: user.map { [CallContext.userKey: $0] } ?? [:],
      principal: principal)
  }

  @discardableResult
  private func put(
    _ key: String, _ definition: String, expecting revision: UInt64? = nil
  ) async throws -> FlagsContract.Flag {
    try await service.putFlag(
      PutFlagRequest(key: key, definition: definition, expectedRevision: revision, why: "test"),
      context: call())
  }

  private func evaluate(
    _ key: String, _ unit: String = "", type: ValueType = .unspecified, default value: String = ""
  ) async throws -> FlagsContract.Evaluation {
    try await service.evaluate(
      EvaluateRequest(key: key, targetingKey: unit, type: type, defaultValue: value),
      context: call())
  }

  private func code(_ body: () async throws -> some Sendable) async -> StatusCode? {
    do {
      _ = try await body()
      return nil
    } catch {
      return (error as? RPCError)?.code ?? .unknown
    }
  }

  private func events() async throws -> [LoggedEvent] {
    try await store.read { try $0.events(after: EventPosition()) }.events
  }

  @Test func aFlagIsPutChangedAndRemoved() async throws {
    let flag = try await put("f", #"{"enabled": true, "rollout": 0.1}"#)
    #expect(flag.revision == 1 && flag.definition == #"{"enabled":true,"rollout":0.1}"#)
    // The same once more is no change.
    #expect(try await put("f", #"{ "enabled":true, "rollout":0.1 }"#) == flag)
    #expect(await code { try await put("f", #"{"enabled": false}"#, expecting: 7) } == .aborted)
    let wider = try await service.setRollout(
      SetRolloutRequest(key: "f", share: 0.5), context: call())
    #expect(wider.definition == #"{"enabled":true,"rollout":0.5}"# && wider.revision == 2)
    _ = try await put("g", #"{"enabled": true, "requires": [{"flag": "f"}]}"#)
    let remove = RemoveFlagRequest(key: "f", why: "")
    #expect(
      await code { try await service.removeFlag(remove, context: call()) } == .failedPrecondition)
    _ = try await service.removeFlag(RemoveFlagRequest(key: "g"), context: call())
    for _ in 0..<2 { _ = try await service.removeFlag(remove, context: call()) }
    #expect(
      await code { try await service.getFlag(GetFlagRequest(key: "f"), context: call()) }
        == .notFound)
    #expect(
      try await events().map { $0.type.split(separator: ".").last ?? "" } == [
        "FlagChanged", "FlagChanged", "FlagChanged", "FlagRemoved", "FlagRemoved",
      ])
    let changes = try await service.listChanges(
      ListChangesRequest(key: "f", pageSize: 2), context: call())
    #expect(changes.changes.map(\.kind) == [.removed, .put] && changes.changes[1].by == "operator")
    let rest = try await service.listChanges(
      ListChangesRequest(key: "f", pageToken: changes.nextPageToken), context: call())
    #expect(rest.changes.map(\.revision) == [1] && rest.changes[0].why == "test")
  }

  /// 16: an answer is that of one moment, and the next call sees the change.
  @Test func aKilledFlagIsOffAtOnce() async throws {
    try await put("f", #"{"enabled": true}"#)
    #expect(try await evaluate("f").isOn)
    for _ in 0..<2 {
      let killed = try await service.killFlag(KillFlagRequest(key: "f"), context: call())
      #expect(killed.isKilled && killed.revision == 2)
    }
    let off = try await evaluate("f")
    #expect(!off.isOn && off.reason == .disabled && off.value == "false" && off.revision == 2)
    // A new definition does not bring it back.
    try await put("f", #"{"enabled": true, "description": "again"}"#)
    #expect(try await !evaluate("f").isOn)
    _ = try await service.releaseFlag(ReleaseFlagRequest(key: "f"), context: call())
    #expect(try await evaluate("f").isOn)
  }

  @Test func aCallThatIsRepeatedByItsKeyHasItsFirstAnswer() async throws {
    let request = PutFlagRequest(key: "f", definition: #"{"enabled": true}"#)
    let context = CallContext(
      method: FlagsMethods.putFlag, metadata: [:], principal: .operator)
    let flags = try await [
      service.putFlag(request, context: context), service.putFlag(request, context: context),
    ]
    #expect(flags[0] == flags[1])
  }

  @Test func aGuardFreezesAGrowingRollout() async throws {
    func put(_ share: String) async throws {
      try await self.put(
        "f",
        #"""
        {"enabled": true, "rollout": \#(share),
         "guard": {"methods": ["kith.risk.v1.RiskEngine/Analyze"], "most_errors": 0.05}}
        """#)
    }
    try await put("0.1")
    let method = "kith.risk.v1.RiskEngine/Analyze"
    func report(_ errors: UInt64) async throws -> [String] {
      try await service.reportMeasure(
        ReportMeasureRequest(method: method, calls: 100, errors: errors), context: call()
      ).frozen
    }
    #expect(try await report(5) == [])
    for _ in 0..<2 { #expect(try await report(6) == ["f"]) }
    let frozen = try await events().filter { $0.type == RolloutFrozen.fullName }
    #expect(frozen.count == 1)
    #expect(
      try RolloutFrozen(decoding: frozen[0].payload).why == "error rate 6.0 % is above 5.0 %")
    // Those who are in stay in; nobody comes in.
    #expect(await code { try await put("0.2") } == .failedPrecondition)
    #expect(
      await code {
        try await service.setRollout(SetRolloutRequest(key: "f", share: 1), context: call())
      } == .failedPrecondition)
    try await put("0.05")
    _ = try await service.releaseFlag(ReleaseFlagRequest(key: "f"), context: call())
    try await put("0.2")
  }

  @Test func aPersonAsksForThemselves() async throws {
    try await put("f", #"{"enabled": true, "rollout": 0.3}"#)
    let ada = try await service.evaluate(EvaluateRequest(key: "f"), context: call(as: "ada"))
    #expect(try await evaluate("f", "ada") == ada)
    #expect(ada.reason == .split)
    let other = EvaluateRequest(key: "f", targetingKey: "bob")
    #expect(
      await code { try await service.evaluate(other, context: call(as: "ada")) }
        == .permissionDenied)
    #expect(
      await code { try await service.evaluate(other, context: call(.stranger)) }
        == .permissionDenied)
    #expect(
      await code { try await service.evaluate(other, context: call(.worker("w", generation: 1))) }
        == nil)
  }

  @Test func aDefaultIsTheAnswerWhereThereIsNoOther() async throws {
    try await put("m", #"{"enabled": false, "variants": {"a": "x"}, "variant": "a"}"#)
    let missing = try await evaluate("none", type: .boolean, default: "true")
    #expect(missing.value == "true" && missing.error == .flagNotFound && missing.reason == .error)
    #expect(try await evaluate("m", type: .string, default: #""y""#).value == #""y""#)
    #expect(
      await code { try await evaluate("m", type: .string, default: "1") } == .invalidArgument)
    try await put("m", #"{"enabled": true, "variants": {"a": "x"}, "variant": "a"}"#)
    let wrong = try await evaluate("m", type: .integer, default: "7")
    #expect(wrong.value == "7" && wrong.error == .typeMismatch && wrong.variant.isEmpty)
    #expect(try await evaluate("m", type: .string).value == #""x""#)
  }

  /// 12.
  @Test func aFileThatCannotBeReadChangesNothing() async throws {
    try await put("f", #"{"enabled": true}"#)
    func read(_ text: String, skipping: Bool = false) async throws -> ImportFlagsResponse {
      try await service.importFlags(
        ImportFlagsRequest(content: Array(text.utf8), skipUnreadable: skipping), context: call())
    }
    for text in [
      "", "{", #"{"flags": []}"#, #"{"flags": {"f": {"enabled": false}, "f": {"enabled": true}}}"#,
      #"{"flags": {"f": {"enabled": false}, "g": {}}}"#,
      #"{"flags": {"f": {"enabled": false}, "g": {"enabled": true, "rules": [{"segments": ["s"]}]}}}"#,
      #"{"flags": {"f": {"enabled": false, "requires": [{"flag": "f"}]}}}"#,
    ] {
      #expect(await code { try await read(text) } == .invalidArgument, "\(text)")
    }
    #expect(try await evaluate("f").isOn)
    let file =
      #"""
      {"segments": {"s": [{"attribute": "user", "is": "in", "values": ["ada"]}]},
       "flags": {"f": {"enabled": true}, "g": {"enabled": true, "rules": [{"segments": ["s"]}]},
                 "h": {"enabled": "yes"}, "i": {"enabled": true, "requires": [{"flag": "h"}]}}}
      """#
    let answer = try await read(file, skipping: true)
    #expect(answer.changed == ["g"] && answer.unchanged == 1 && answer.problems.count == 2)
    #expect(try await evaluate("g", "ada").isOn)
    #expect(try await !evaluate("g", "bob").isOn)
    // What is exported is read again, and changes nothing.
    let exported = try await service.exportFlags(ExportFlagsRequest(), context: call())
    let again = try await service.importFlags(
      ImportFlagsRequest(content: exported.content), context: call())
    #expect(again.changed == [] && again.unchanged == 2 && again.revision == exported.revision)
  }

  @Test func aFileMustBeSignedWhereAKeyIsConfigured() async throws {
    let key = Curve25519.Signing.PrivateKey()
    let content = Array(#"{"flags": {"f": {"enabled": true}}}"#.utf8)
    let text = key.publicKey.rawRepresentation.base64EncodedString()
    service.use(try FlagsSettings(patience: .seconds(1), signingKey: text))
    var request = ImportFlagsRequest(content: content)
    let signature = try [UInt8](key.signature(for: content))
    var flipped = signature
    flipped[63] ^= 1
    for wrong in [[], flipped, signature + [0]] {
      request.signature = wrong
      let forged = request
      #expect(
        await code { try await service.importFlags(forged, context: call()) } == .permissionDenied)
    }
    request.signature = signature
    request.dryRun = true
    #expect(try await service.importFlags(request, context: call()).changed == ["f"])
    #expect(try await evaluate("f").error == .flagNotFound)
    request.dryRun = false
    #expect(try await service.importFlags(request, context: call()).changed == ["f"])
    #expect(throws: RPCError.self) { try FlagsSettings(patience: .zero, signingKey: "AAAA") }
  }

  @Test func staleFlagsAreListed() async throws {
    for key in ["a", "b", "c"] { try await put(key, #"{"enabled": true}"#) }
    try await put("d", #"{"enabled": true, "rollout": 0.5}"#)
    clock.now.withLock { $0 = noon + .seconds(91 * 86_400) }
    let page = try await service.listFlags(
      ListFlagsRequest(pageSize: 2, onlyStale: true), context: call())
    #expect(page.flags.map(\.key) == ["a", "b"] && page.nextPageToken == "b")
    let rest = try await service.listFlags(
      ListFlagsRequest(pageToken: "b", onlyStale: true), context: call())
    #expect(rest.flags.map(\.key) == ["c"] && rest.nextPageToken.isEmpty)
  }

  @Test func everyFollowerCanEvaluateByTheEventsAlone() async throws {
    try await put("f", #"{"enabled": true, "rollout": 0.5}"#)
    _ = try await service.setRollout(SetRolloutRequest(key: "f", share: 0.2), context: call())
    _ = try await service.killFlag(KillFlagRequest(key: "f"), context: call())
    let last = try #require(try await events().last)
    let event = try FlagChanged(decoding: last.payload)
    let told = try #require(event.flag)
    #expect(told.isKilled && told.revision == 3 && last.user == nil)
    _ = try FlagReader.flag(told.key, JSONValue(parsing: told.definition))
  }
}

import KithAccess
import KithAccessStore
import KithJSON
import KithRPC
import KithSealing
import KithStore
import KithTime
import KithTransportInProcess
import KithWorker
import Synchronization
import Testing
import TestingContract

/// The listings of the manual do what their pages say.
@Suite struct ListingTests {
  private func call(as user: String? = nil, key: String? = nil) throws -> CallContext {
    CallContext(
      method: OnceMethods.append, metadata: user.map { [CallContext.userKey: $0] } ?? [:],
      principal: .operator, idempotencyKey: try key.map { try IdempotencyKey($0) })
  }

  @Test func theDiaryKeepsAnEntryOnceAndForItsPersonOnly() async throws {
    let store = try Store(
      inMemoryWith: SealingKeys(worker: "diary"), migrations: DiarySchema.migrations)
    let diary = DiaryService(store: store, now: { 1_000_000 })
    for _ in 1...2 {
      let answer = try await diary.append(
        AppendRequest(entry: "Sunday"), context: try call(as: "ada", key: "first"))
      #expect(answer.entry == "Sunday")
    }
    let (own, others, events) = try await store.read { transaction in
      func entries(_ name: String) throws -> [String?] {
        let user = try #require(UserID(name))
        let grant = try transaction.access(of: .user(user)).grantAll(.read)
        return try transaction.records(DiaryEntry.self, under: grant).map(\.text.intact)
      }
      return (
        try entries("ada"), try entries("bob"),
        try transaction.events(after: EventPosition()).events.count
      )
    }
    #expect(own == ["Sunday"] && others.isEmpty && events == 1)
    let error = await #expect(throws: RPCError.self) {
      try await diary.append(AppendRequest(entry: "Monday"), context: try call())
    }
    #expect(error?.code == .permissionDenied)
  }

  @Test func theAdvisorAndTheDiaryAreWorkers() async throws {
    // A worker without a host finds no other one.
    #expect(throws: RPCError.self) { _ = try Advisor(WorkerContext()) }
    // And is not run: this process is none.
    _ = DiaryWorker.main
  }

  @Test func aHostThatIsNotGrantedIsRefused() throws {
    let configuration = WorkerConfiguration(["host": "api.example.com", "timeout": "1.5s"])
    let error = #expect(throws: ConfigurationError.self) {
      try WeatherSettings(configuration, grants: WorkerContext().grants)
    }
    #expect(error?.key == "host")
  }

  @Test func theModelIsLoadedBesideTheCalls() {
    let context = WorkerContext()
    ModelLoader(load: {}).start(in: context)
  }

  /// The diary as its callers see it: through calls, without a socket.
  @Test func theDiaryAnswersACaller() async throws {
    let store = try Store(
      inMemoryWith: SealingKeys(worker: "diary"), migrations: DiarySchema.migrations)
    let transport = InProcessTransport()
    let server = RPCServer(services: [DiaryService(store: store, now: { 0 }).definition])
    try server.start(on: transport.listener)
    defer { server.close() }
    let client = RPCClient(connector: transport.connector)
    defer { client.close() }
    let error = await #expect(throws: RPCError.self) {
      try await OnceClient(client).append(AppendRequest(entry: "Sunday"))
    }
    #expect(error?.code == .permissionDenied)
  }

  @Test func breakfastIsAtEightAlsoWhenTheClocksChange() throws {
    // The night in which New York's clocks go forward.
    let evening = Instant(seconds: 1_772_924_400)
    let next = try nextBreakfast(after: evening, in: "America/New_York", zones: Zones())
    #expect(next == Instant(seconds: 1_772_971_200))
  }

  @Test func aRecordOfNobodyIsKeptWithoutAGrant() async throws {
    let store = try Store(
      inMemoryWith: SealingKeys(worker: "count"), migrations: MissedCounts.migrations)
    let count = try await store.write { transaction in
      try transaction.save(MissedCount(id: "all", count: 2))
      return try transaction.record(MissedCount.self, id: "all")?.count
    }
    #expect(count == 2)
    #expect(throws: RPCError.self) { try MissedCounts.follow(in: WorkerContext(), into: store) }
  }
}

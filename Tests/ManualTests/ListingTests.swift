import GRDB
import KithAccess
import KithJSON
import KithRPC
import KithSealing
import KithStore
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
}

import GRDB
import Glibc
import KithAccess
import KithRPC
import KithTesting
import Synchronization
import Testing

@testable import KithStore

/// The worker's database.
@Suite(.timeLimit(.minutes(2)))
struct StoreTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private struct Failure: Error {}

  private func count(_ store: Store) async throws -> Int? {
    try await store.read { try Int.fetchOne($0.database, sql: "SELECT count(*) FROM note") }
  }

  @Test func whatWasWrittenIsThereAfterAReopening() async throws {
    do {
      let store = try folder.store()
      try await store.write { try $0.save(Note(id: "1", text: "Ada")) }
      try store.close()
    }
    let again = try folder.store()
    let note = try await again.read { try $0.record(Note.self, id: "1") }
    #expect(note == Note(id: "1", text: "Ada"))
    var status = stat()
    #expect(stat(folder.storePath, &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test func aWriteThatThrowsWritesNothingAndTakesNothingOfTheOthers() async throws {
    let store = try folder.store()
    let written = await withTaskGroup(of: Int?.self) { group in
      for number in 0..<200 {
        group.addTask {
          try? await store.write { transaction in
            try transaction.save(Note(id: "\(number)", text: "x"))
            if number.isMultiple(of: 3) { throw Failure() }
            // A constraint that does not hold ends this write alone, too.
            if number.isMultiple(of: 5) {
              try transaction.database.execute(sql: "INSERT INTO note (key) VALUES (NULL)")
            }
            return number
          }
        }
      }
      return await group.reduce(into: Set()) { if let number = $1 { $0.insert("\(number)") } }
    }
    let found = try await store.read {
      try String.fetchSet($0.database, sql: "SELECT key FROM note")
    }
    #expect(found == written)
    #expect(written.count == (0..<200).count { $0 % 3 != 0 && $0 % 5 != 0 })
  }

  @Test func eachWriteSeesThoseBeforeIt() async throws {
    let store = try folder.store()
    try await withThrowingTaskGroup { group in
      for _ in 0..<300 {
        group.addTask {
          try await store.write { transaction in
            let count = try Int.fetchOne(transaction.database, sql: "SELECT count(*) FROM note")
            try transaction.save(Note(id: "\(count ?? -1)", text: "x"))
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await count(store) == 300)
  }

  @Test func aCancelledWriteIsNotBegun() async throws {
    let store = try folder.store()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await store.write { try $0.save(Note(id: "1", text: "x")) }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await count(store) == 0)
  }

  @Test func itIsDurableAtEachWrite() async throws {
    let store = try folder.store()
    let settings = try await store.write { transaction in
      try ["journal_mode", "synchronous"].map {
        try String.fetchOne(transaction.database, sql: "PRAGMA \($0)")
      }
    }
    #expect(settings == ["wal", "2"])
  }

  @Test func readersDoNotWaitForAWriter() async throws {
    let store = try folder.store()
    try await store.write { try $0.save(Note(id: "before", text: "x")) }
    let hasWritten = Atomic(false)
    let mayEnd = Atomic(false)
    let writing = Task {
      try await store.write { transaction in
        try transaction.save(Note(id: "after", text: "x"))
        hasWritten.store(true, ordering: .releasing)
        while !mayEnd.load(ordering: .acquiring), !Task.isCancelled { sched_yield() }
      }
    }
    // Whatever fails here, the writer is let go.
    defer { mayEnd.store(true, ordering: .releasing) }
    try await waitUntil("the writer has written") { hasWritten.load(ordering: .acquiring) }
    // Would never return, if it waited.
    #expect(try await count(store) == 1)
    mayEnd.store(true, ordering: .releasing)
    try await writing.value
    #expect(try await count(store) == 2)
  }

  // MARK: A full disk

  /// Lets the file grow by so many pages and no further, or as far as it likes.
  private func leaveRoom(_ pages: Int?, in store: Store) async throws {
    try await store.write { transaction in
      let now = try Int.fetchOne(transaction.database, sql: "PRAGMA page_count") ?? 0
      let most = pages.map { now + $0 } ?? 1_000_000
      _ = try Int.fetchOne(transaction.database, sql: "PRAGMA max_page_count = \(most)")
    }
  }

  @Test func aFullDiskIsToldAndGotOver() async throws {
    let store = try folder.store()
    try await store.write { try $0.save(Note(id: "1", text: "x")) }
    try await leaveRoom(1, in: store)
    let large = String(repeating: "x", count: 100_000)
    let error = await #expect(throws: StoreError.self) {
      try await store.write { try $0.save(Note(id: "2", text: large)) }
    }
    #expect(error?.code == .full)
    #expect(error?.rpcError.code == .resourceExhausted)
    #expect(error?.rpcError.message.contains("/") == false)
    #expect(try await count(store) == 1)
    try await leaveRoom(nil, in: store)
    try await store.write { try $0.save(Note(id: "2", text: large)) }
    #expect(try await count(store) == 2)
  }

  @Test func oneThatIsTooLargeForTheDiskTakesNothingOfTheOthers() async throws {
    let store = try folder.store()
    try await leaveRoom(4, in: store)
    let large = String(repeating: "x", count: 100_000)
    let outcomes = await withTaskGroup(of: (Int, StoreError?).self) { group in
      for number in 0..<20 {
        group.addTask {
          do {
            let text = number == 10 ? large : "x"
            try await store.write { try $0.save(Note(id: "\(number)", text: text)) }
            return (number, nil)
          } catch {
            return (number, error as? StoreError)
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    for (number, error) in outcomes {
      #expect(error?.code == (number == 10 ? .full : nil), "\(number)")
    }
    #expect(try await count(store) == 19)
  }

  @Test(arguments: [
    (StoreError.Code.full, StatusCode.resourceExhausted), (.inputOutput, .unavailable),
    (.busy, .unavailable), (.damaged, .dataLoss), (.removed, .dataLoss), (.sealing, .dataLoss),
    (.denied, .permissionDenied), (.laterVersion, .failedPrecondition),
    (.unusable, .failedPrecondition),
  ])
  func aCallerLearnsWhetherToTryAgain(_ code: StoreError.Code, _ status: StatusCode) {
    #expect(RPCError(ofHandler: StoreError(code, "x")).code == status)
  }

  // MARK: Opening

  @Test func aFileOfALaterVersionIsRefused() throws {
    _ = try folder.store()
    let error = #expect(throws: StoreError.self) {
      try Store(path: folder.storePath, keys: try folder.keys(), migrations: [Person.migration])
    }
    #expect(error?.code == .laterVersion)
  }

  @Test func aMigrationThatFailsChangesNothing() async throws {
    try folder.store().close()
    let broken = Store.Migration("3 broken") { database in
      try database.execute(sql: "CREATE TABLE half (x INTEGER)")
      throw Failure()
    }
    let error = #expect(throws: StoreError.self) {
      try Store(
        path: folder.storePath, keys: try folder.keys(),
        migrations: [Person.migration, Note.migration, broken])
    }
    #expect(error?.code == .unusable)
    let isHalf = try await folder.store().read { try $0.database.tableExists("half") }
    #expect(!isHalf)
  }

  @Test func otherKeysOpenNothing() throws {
    try folder.store().close()
    let error = #expect(throws: StoreError.self) {
      try Store(
        path: folder.storePath, keys: try TemporaryFolder().keys(),
        migrations: [Person.migration, Note.migration])
    }
    #expect(error?.code == .sealing)
    _ = try folder.store()
  }

  @Test func inMemoryNothingIsKept() async throws {
    let store = try Store(inMemoryWith: folder.keys(), migrations: [Note.migration])
    try await store.write { try $0.save(Note(id: "1", text: "Ada")) }
    #expect(try await count(store) == 1)
    #expect(TemporaryFolder.names(in: folder.path) == ["sealing.keys"])
  }
}

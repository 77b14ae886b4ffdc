import GRDB
import KithTesting
import Testing

@testable import KithStore

/// The worker's database.
@Suite struct StoreTests {
  private let people = Store.Migration("1 people") {
    try $0.execute(sql: "CREATE TABLE person (name TEXT NOT NULL) STRICT")
  }

  @Test func whatWasWrittenIsThereAfterAReopening() async throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/store.sqlite"
    do {
      let store = try Store(path: path, migrations: [people])
      try await store.write { try $0.execute(sql: "INSERT INTO person VALUES ('Ada')") }
    }
    let again = try Store(path: path, migrations: [people])
    let names = try await again.read { try String.fetchAll($0, sql: "SELECT name FROM person") }
    #expect(names == ["Ada"])
  }

  @Test func aWriteThatThrowsWritesNothing() async throws {
    struct Failure: Error {}
    let folder = try TemporaryFolder()
    let store = try Store(path: "\(folder.path)/store.sqlite", migrations: [people])
    await #expect(throws: Failure.self) {
      try await store.write { database in
        try database.execute(sql: "INSERT INTO person VALUES ('Ada')")
        throw Failure()
      }
    }
    let count = try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM person") }
    #expect(count == 0)
  }

  @Test func itIsDurableAtEachWrite() async throws {
    let folder = try TemporaryFolder()
    let store = try Store(path: "\(folder.path)/store.sqlite", migrations: [])
    let mode = try await store.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
    let level = try await store.read { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
    #expect(mode == "wal")
    #expect(level == 2)
  }

  @Test func aFileThatIsNoDatabaseIsNamed() throws {
    let folder = try TemporaryFolder()
    try folder.write(String(repeating: "no database ", count: 100), to: "store.sqlite")
    let error = #expect(throws: StoreError.self) {
      try Store(path: "\(folder.path)/store.sqlite", migrations: [people])
    }
    #expect(error?.message.contains("store.sqlite") == true)
  }

  @Test func aFileOfALaterVersionIsRefused() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/store.sqlite"
    let later = Store.Migration("2 places") {
      try $0.execute(sql: "CREATE TABLE place (name TEXT NOT NULL) STRICT")
    }
    _ = try Store(path: path, migrations: [people, later])
    let error = #expect(throws: StoreError.self) { try Store(path: path, migrations: [people]) }
    #expect(error?.message.contains("later version") == true)
  }
}

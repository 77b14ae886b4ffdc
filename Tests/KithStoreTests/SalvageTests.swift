import GRDB
import Glibc
import KithTesting
import Testing

@testable import KithStore

/// A damaged file: refused, or what can be saved of it goes on.
@Suite(.timeLimit(.minutes(2)))
struct SalvageTests {
  /// A store with a thousand notes and people, closed, and its bytes.
  private func filled(_ folder: TemporaryFolder) async throws {
    let store = try folder.store()
    try await store.write { transaction in
      let grant = Everything.grant
      for number in 0..<1_000 {
        try transaction.save(Note(id: "\(number)", text: String(repeating: "x", count: 200)))
        try transaction.save(
          Person(id: Int64(number), user: .ada, name: "Ada \(number)"), under: grant)
      }
    }
    try store.close()
  }

  /// Writes zeros over some pages.
  private func damage(_ path: String, pages: [Int]) {
    let file = open(path, O_WRONLY)
    defer { close(file) }
    for page in pages { pwrite(file, [UInt8](repeating: 0, count: 4096), 4096, off_t(page * 4096)) }
  }

  /// Pages that hold nothing but rows of a table.
  private func leaves(of table: String, in path: String) async throws -> [Int] {
    let queue = try DatabaseQueue(path: path)
    return try await queue.read { database in
      try Int.fetchAll(
        database,
        sql: "SELECT pageno - 1 FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path",
        arguments: [table])
    }
  }

  @Test func itIsRefusedAndLeftAsItIsUnlessTheWorkerSaysOtherwise() async throws {
    let folder = try TemporaryFolder()
    try await filled(folder)
    damage(folder.storePath, pages: try await leaves(of: "note", in: folder.storePath).suffix(2))
    let before = Files.bytes(folder.storePath)
    let error = #expect(throws: StoreError.self) { try folder.store() }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains("when_damaged: salvage") == true)
    #expect(Files.bytes(folder.storePath) == before)
    #expect(!TemporaryFolder.names(in: folder.path).contains { $0.contains("damaged-") })
  }

  @Test func whatCanBeReadGoesOnAndTheDamagedFileIsKept() async throws {
    let folder = try TemporaryFolder()
    try await filled(folder)
    let damaged = try await leaves(of: "person", in: folder.storePath)
    try #require(damaged.count > 8)
    damage(folder.storePath, pages: [damaged[2], damaged[6]])
    let before = Files.bytes(folder.storePath)

    let store = try folder.store(whenDamaged: .salvage)
    let salvage = try #require(store.salvage)
    #expect(Files.bytes(salvage.backup) == before)
    let people = try #require(salvage.tables.first { $0.name == "person" })
    let notes = try #require(salvage.tables.first { $0.name == "note" })
    #expect(notes == Salvage.Table(name: "note", rows: 1_000, isWhole: true))
    // All but what stood on the two pages, also what stands between them.
    #expect(!people.isWhole && people.rows < 1_000)
    #expect(
      people.rows > 1_000 - 3 * 1_000 / damaged.count, "\(people.rows) of \(damaged.count) pages")
    #expect(salvage.description.contains("person \(people.rows) rows (parts could not be read)"))
    let read = try await store.read { try $0.records(Person.self, under: Everything.grant) }
    #expect(read.count == people.rows)
    #expect(read.allSatisfy { $0.name.intact == "Ada \($0.id)" })

    // It is whole from now on.
    try store.close()
    let again = try folder.store(whenDamaged: .salvage)
    #expect(again.salvage == nil)
    let count = try await again.read { try $0.records(Note.self).count }
    #expect(count == 1_000)
  }

  @Test func whatIsInTheWriteAheadLogIsSavedToo() async throws {
    let folder = try TemporaryFolder()
    try await filled(folder)
    let damaged = try await leaves(of: "person", in: folder.storePath)
    // Left open, as a killed process leaves it: the newest note is in the log alone.
    let killed = try folder.store()
    try await killed.write { try $0.save(Note(id: "newest", text: "x")) }
    let copy = try TemporaryFolder()
    for suffix in ["", "-wal"] {
      let bytes = try #require(Files.bytes(folder.storePath + suffix))
      try copy.write(bytes, to: Store.fileName + suffix, mode: 0o600)
    }
    try copy.write(
      try #require(Files.bytes("\(folder.path)/sealing.keys")), to: "sealing.keys", mode: 0o600)
    damage(copy.storePath, pages: [damaged[2]])
    let store = try copy.store(whenDamaged: .salvage)
    let newest = try await store.read { try $0.record(Note.self, id: "newest") }
    #expect(newest != nil)
  }

  @Test func aFileOfWhichNothingCanBeReadIsRefusedInAnyCase() throws {
    let folder = try TemporaryFolder()
    try folder.write(String(repeating: "no database ", count: 1_000), to: Store.fileName)
    for policy in Store.WhenDamaged.allCases {
      let error = #expect(throws: StoreError.self) { try folder.store(whenDamaged: policy) }
      #expect(error?.code == .damaged)
      #expect(error?.message.contains(Store.fileName) == true)
    }
    #expect(TemporaryFolder.text(of: folder.storePath)?.hasPrefix("no database") == true)
    #expect(!TemporaryFolder.names(in: folder.path).contains { $0.contains("damaged-") })
  }

  private static let referring = Store.Migration("3 referring") { database in
    try database.execute(
      sql:
        "CREATE TABLE visit (id INTEGER PRIMARY KEY, person INTEGER NOT NULL REFERENCES person (id))"
    )
  }

  /// A row that refers to one that could not be saved would break the next write that touches it.
  @Test func rowsThatReferToWhatIsGoneAreLeftOut() async throws {
    let folder = try TemporaryFolder()
    let open = { (whenDamaged: Store.WhenDamaged) throws in
      try Store(
        path: folder.storePath, keys: try folder.keys(),
        migrations: [Person.migration, Note.migration, Self.referring], whenDamaged: whenDamaged)
    }
    let store = try open(.refuse)
    try await store.write { transaction in
      for number in Int64(0)..<1_000 {
        try transaction.save(
          Person(id: number, user: .ada, name: "Ada \(number)"), under: Everything.grant)
        try transaction.database.execute(
          sql: "INSERT INTO visit (person) VALUES (?)", arguments: [number])
      }
    }
    try store.close()
    damage(folder.storePath, pages: [try await leaves(of: "person", in: folder.storePath)[3]])
    let saved = try open(.salvage)
    let (people, visits, orphans) = try await saved.read { transaction in
      let counts = try ["person", "visit"].map {
        try Int.fetchOne(transaction.database, sql: "SELECT count(*) FROM \($0)") ?? 0
      }
      let orphans = try Row.fetchAll(transaction.database, sql: "PRAGMA foreign_key_check").count
      return (counts[0], counts[1], orphans)
    }
    #expect(
      people < 1_000 && visits == people && orphans == 0, "\(people) people, \(visits) visits")
    try saved.close()
  }

  @Test func aTableWithoutNumbersIsReadFromBothEnds() async throws {
    let folder = try TemporaryFolder()
    try await filled(folder)
    let damaged = try await leaves(of: "note", in: folder.storePath)
    try #require(damaged.count > 8)
    damage(folder.storePath, pages: [damaged[damaged.count / 2]])
    let store = try folder.store(whenDamaged: .salvage)
    let keys = try await store.read {
      try String.fetchAll($0.database, sql: "SELECT key FROM note ORDER BY key")
    }
    // All but what stood on that page.
    #expect(keys.count > 1_000 - 3 * 1_000 / damaged.count, "\(keys.count)")
    #expect(keys.first == "0" && keys.last == "999")
    try store.close()
  }
}

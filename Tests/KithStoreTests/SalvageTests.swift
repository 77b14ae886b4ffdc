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
}

import GRDB
import KithAccess
import KithTesting
import Testing

@testable import KithStore

/// The vocabulary of stores at work: tables, migrations, conditions, figures and pages.
@Suite(.timeLimit(.minutes(1)))
struct VocabularyTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func people(_ store: Store) async throws {
    try await store.write { transaction in
      for (id, user, born) in [
        (1, UserID.ada, 1940), (2, .bob, 1941), (3, .ada, 1941), (4, .ada, 1941), (5, .bob, 1938),
      ] as [(Int64, UserID, Int)] {
        try transaction.save(
          Person(id: id, user: user, name: "x", born: born), under: Everything.grant)
      }
    }
  }

  @Test func figuresAreOfThoseWhomTheGrantIsAbout() async throws {
    let store = try folder.store()
    try await people(store)
    let ada = Access(of: .user(.ada)).grantAll(.own)
    let nobody = Access(of: .stranger).grantAll(.own)
    try await store.read { transaction in
      #expect(try transaction.count(of: Person.self, under: Everything.grant) == 5)
      #expect(try transaction.count(of: Person.self, where: "born > \(1940)", under: ada) == 2)
      #expect(try transaction.count(of: Person.self, where: "TRUE OR TRUE", under: nobody) == 0)
      let least: Int? = try transaction.minimum(of: "born", in: Person.self, under: ada)
      let none: Int? = try transaction.minimum(of: "born", in: Person.self, under: nobody)
      #expect(least == 1940 && none == nil)
      let rows = try transaction.rows(
        "SELECT user_id, count(*) AS number FROM person GROUP BY user_id ORDER BY user_id")
      #expect(try rows.values(of: "user_id") == [UserID.ada, .bob])
      #expect(try rows.map { try $0["number"] as Int } == [3, 2])
      #expect(throws: StoreError.self) { try rows[0]["nothing"] as Int }
      #expect(throws: StoreError.self) { try rows[0]["user_id"] as Int }
    }
    let removed = try await store.write { transaction in
      #expect(throws: StoreError.self) {
        try transaction.deleteAll(
          Person.self, where: "TRUE", under: Access(of: .user(.ada)).grantAll(.read))
      }
      return try transaction.deleteAll(Person.self, where: "born = \(1941) OR TRUE", under: ada)
    }
    #expect(removed == 3)
    let left = try await store.read { try $0.count(of: Person.self, under: Everything.grant) }
    #expect(left == 2)
  }

  @Test(arguments: [true, false], [1, 2, 5, 6])
  func pagesFollowOneAnother(_ isDescending: Bool, _ limit: Int) async throws {
    let store = try folder.store()
    try await people(store)
    try await store.read { transaction in
      var (ids, pages, place): ([Int64], Int, [StoreValue]?) = ([], 0, nil)
      repeat {
        let page = try transaction.page(
          of: Person.self, by: ["born", "id"], descending: isDescending, after: place, limit: limit,
          under: Everything.grant)
        #expect(page.records.count <= limit)
        ids += page.records.map(\.id)
        (pages, place) = (pages + 1, page.next)
      } while place != nil && pages < 10
      #expect(ids == (isDescending ? [4, 3, 2, 1, 5] : [5, 1, 2, 3, 4]))
      #expect(pages == (5 + limit - 1) / limit)
    }
  }

  /// An interpolated value never becomes a part of the statement.
  @Test func aValueIsNoSQL() async throws {
    let store = try folder.store()
    let key = "x' OR '1' = '1"
    try await store.write { transaction in
      try transaction.save(Note(id: "plain", text: "a"))
      try transaction.save(Note(id: key, text: "b"))
    }
    let found = try await store.read { try $0.records(Note.self, where: "key = \(key)") }
    #expect(found.map(\.id) == [key])
  }

  @Test func aRowThatBreaksARuleOfItsTableIsAnErrorOfTheStore() async throws {
    let store = try folder.store()
    let error = await #expect(throws: StoreError.self) {
      try await store.write { transaction in
        try transaction.save(Note(id: "kept?", text: "secret words"))
        try transaction.execute("INSERT INTO note (key) VALUES (\("kept?"))")
      }
    }
    #expect(error?.code == .constraint && error?.message.contains("note.key") == true)
    #expect(error?.message.contains("kept?") == false)
    #expect(try await store.read { try $0.count(of: Note.self) } == 0)
    let wrong = await #expect(throws: StoreError.self) {
      try await store.read { try $0.rows("SELECT nothing FROM \(name: "nowhere")") }
    }
    #expect(wrong?.code == .unusable)
  }

  /// A table that a migration rewrites has its new columns, its new indexes and all of its rows.
  @Test func aTableIsRewrittenRowByRow() async throws {
    let before = Store.Table(
      "entry", [.text("id"), .integer("state"), .bytes("old"), .text("kept")],
      indexes: [Store.Index("entry_state", on: "state")])
    let after = Store.Table(
      "entry",
      [.text("id"), .text("kept"), .text("state"), .text("colour", default: "white")],
      indexes: [Store.Index("entry_state", on: "state", where: "state = 'on'")], clustered: true)
    let first = Store.Migration("entries 1", creating: [before])
    let keys = try folder.keys()
    let store = try Store(path: folder.storePath, keys: keys, migrations: [first])
    try await store.write { transaction in
      for number in 0..<3 {
        try transaction.execute(
          """
          INSERT INTO entry (id, state, old, kept)
          VALUES (\("\(number)"), \(number), \([UInt8]([7])), \("k\(number)"))
          """)
      }
    }
    try store.close()
    let second = Store.Migration(
      "entries 2",
      [
        .rewrite(after) { row in
          let state: Int = try row["state"]
          row.set("state", state == 1 ? "on" : "off")
        }
      ])
    let again = try Store(path: folder.storePath, keys: keys, migrations: [first, second])
    let rows = try await again.read { try $0.rows("SELECT * FROM entry ORDER BY id") }
    #expect(rows.first?.columns == ["id", "kept", "state", "colour"])
    #expect(try rows.values(of: "kept") == ["k0", "k1", "k2"])
    #expect(try rows.values(of: "state") == ["off", "on", "off"])
    #expect(try rows.values(of: "colour") == ["white", "white", "white"])
    let indexes = try await again.read {
      try $0.rows("SELECT sql FROM sqlite_schema WHERE name = 'entry_state'")
    }
    #expect(try (indexes[0]["sql"] as String).contains("WHERE state = 'on'"))
  }

  /// The tables of the SDK are those that the versions before this vocabulary made: existing files
  /// go on with them.
  @Test func theTablesOfTheSDKAreWhatTheyWere() async throws {
    let store = try folder.store()
    let shipped = try DatabaseQueue()
    try await shipped.write { try $0.execute(sql: Self.shipped) }
    for table in [
      "kith_store", "kith_answer", "kith_event", "kith_event_head", "kith_event_cursor",
    ] {
      // The declared type, whether it is required, its default and its place in the key.
      let columns: SQLText = """
        SELECT name, type, "notnull" AS required, dflt_value, pk FROM pragma_table_info(\(table))
        """
      let (text, _) = Dialect.sqlite.render(columns)
      let expected = try await shipped.read { database in
        try Row.fetchAll(database, sql: text, arguments: [table]).map(StoredRow.init)
      }
      let found = try await store.read { Array(try $0.rows(columns)) }
      #expect(found == expected && !found.isEmpty, "\(table)")
    }
  }

  private static let shipped = """
    CREATE TABLE kith_store (
      id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1), log TEXT NOT NULL, secret_sealed BLOB NOT NULL
    ) STRICT;
    ALTER TABLE kith_store ADD COLUMN commits INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE kith_store ADD COLUMN replaced TEXT NOT NULL DEFAULT '';
    CREATE TABLE kith_answer (
      id BLOB PRIMARY KEY NOT NULL, request BLOB NOT NULL, expires INTEGER NOT NULL, answer_sealed BLOB
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE kith_event (
      sequence INTEGER PRIMARY KEY NOT NULL, type TEXT NOT NULL, at_ms INTEGER NOT NULL, user_id TEXT,
      traceparent TEXT NOT NULL, payload BLOB, payload_sealed BLOB, end INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE kith_event_head (
      id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1), last INTEGER NOT NULL, end INTEGER NOT NULL,
      removed INTEGER NOT NULL, removed_end INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE kith_event_cursor (
      name TEXT PRIMARY KEY NOT NULL, log TEXT NOT NULL, sequence INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """
}

import KithAccess
import KithSealing
import KithStore
import KithTesting
import KithWire
import RemindersContract
import Testing

@testable import RemindersService

/// Stores that earlier versions of the worker have written.
@Suite(.timeLimit(.minutes(1)))
struct StoredFormTests {
  /// The first schema, word for word as it shipped.
  private static let shipped = Store.Migration(
    "reminders 1",
    [
      .run(
        """
        CREATE TABLE reminder (
          id TEXT PRIMARY KEY NOT NULL, user_id TEXT NOT NULL, text_sealed BLOB NOT NULL,
          notes_sealed BLOB, uid_sealed BLOB, uid_index BLOB, is_medicine INTEGER NOT NULL,
          state INTEGER NOT NULL, schedule BLOB NOT NULL, ladder BLOB, created_at_ms INTEGER NOT NULL,
          cursor_ms INTEGER NOT NULL, last_wall INTEGER, walls_decided INTEGER, open_due_ms INTEGER,
          open_ladder_start_ms INTEGER, open_snoozes INTEGER NOT NULL DEFAULT 0,
          open_repeats INTEGER NOT NULL DEFAULT 0, open_snoozed_until_ms INTEGER,
          open_is_missed INTEGER NOT NULL DEFAULT 0, done_ahead_ms INTEGER, next_step_ms INTEGER,
          next_due_ms INTEGER, basis INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX reminder_next_step ON reminder (next_step_ms) WHERE next_step_ms IS NOT NULL;
        CREATE INDEX reminder_basis ON reminder (basis) WHERE next_step_ms IS NOT NULL;
        CREATE INDEX reminder_user ON reminder (user_id, next_due_ms, id);
        CREATE INDEX reminder_active ON reminder (user_id) WHERE state = 1;
        CREATE UNIQUE INDEX reminder_uid ON reminder (user_id, uid_index) WHERE uid_index IS NOT NULL;
        CREATE TABLE occurrence (
          id TEXT PRIMARY KEY NOT NULL, user_id TEXT NOT NULL, reminder_id TEXT NOT NULL,
          due_ms INTEGER NOT NULL, state INTEGER NOT NULL, missed_reason INTEGER NOT NULL DEFAULT 0,
          sent_at_ms INTEGER, done_at_ms INTEGER, snoozed_until_ms INTEGER,
          late_by_ms INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX occurrence_user ON occurrence (user_id, due_ms, id);
        CREATE INDEX occurrence_reminder ON occurrence (reminder_id, due_ms);
        CREATE TABLE person (
          id TEXT PRIMARY KEY NOT NULL, user_id TEXT NOT NULL, zone TEXT, quiet_from INTEGER,
          quiet_to INTEGER, region INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """)
    ])

  /// A reminder as the first version wrote it.
  private struct FirstReminder: UserRecord {
    static let table = "reminder"
    var id: String
    var user: UserID
    var schedule: [UInt8]
    var ladder: [UInt8]?
    var state = ReminderState.active
    var nextDue: Int64?

    init(_ id: String, _ schedule: [UInt8], ladder: [UInt8]? = nil) {
      (self.id, user, self.schedule, self.ladder) = (id, UserID("me")!, schedule, ladder)
    }

    init(_ row: RecordReader) throws {
      (id, user) = (try row["id"], try row.user())
      (schedule, ladder) = (try row["schedule"], try row["ladder"])
    }

    func write(to row: inout RecordWriter) throws {
      try row.set("text", Sealed("Pills"))
      try row.set("notes", Sealed("with water"))
      row.set("is_medicine", true)
      row.set("state", state.rawValue)
      row.set("schedule", schedule)
      row.set("ladder", ladder)
      row.set("created_at_ms", 1)
      row.set("cursor_ms", 1)
      row.set("next_due_ms", nextDue)
      row.set("basis", 0)
    }
  }

  /// Writes a store as the first version did.
  private func write(
    in folder: TemporaryFolder, _ keys: SealingKeys, _ reminders: [FirstReminder]
  ) async throws {
    let store = try Store(
      path: "\(folder.path)/store.sqlite", keys: keys, migrations: [Self.shipped])
    try await store.write { transaction in
      for reminder in reminders {
        try transaction.save(reminder, under: ReminderBook.ownGrant)
      }
      for (number, reason) in [(5, 0), (6, 4)] {
        try transaction.execute(
          """
          INSERT INTO occurrence (id, user_id, reminder_id, due_ms, state, missed_reason)
          VALUES (\("pills/\(number)"), 'me', 'pills', \(number), \(number), \(reason))
          """)
      }
      try transaction.execute(
        "INSERT INTO person (id, user_id, zone, region) VALUES ('me', 'me', 'Europe/London', 3)")
      try transaction.execute("INSERT INTO person (id, user_id, region) VALUES ('bo', 'bo', 0)")
    }
    try store.close()
  }

  @Test func aStoreOfTheFirstVersionKeepsItsData() async throws {
    let desk = try Desk("2026-11-21 12:00")
    try desk.store.close()
    let folder = try TemporaryFolder()
    let keys = SealingKeys(worker: "reminders")
    let schedule = Schedule(
      start: "2026-11-21T20:00:00", zone: "America/New_York", rule: "FREQ=DAILY",
      additions: ["2026-11-22T09:00:00", "2026-11-23T09:00:00"],
      exclusions: ["2026-11-24", "2026-11-25T20:00:00"], policy: .elapsed)
    let ladder = Ladder(repeatsMs: [60_000, 120_000], contactAfterMs: 3_600_000)
    var paused = FirstReminder("paused", try Schedule(start: "2027-01-01T08:00:00").encoded())
    paused.state = .paused
    try await write(
      in: folder, keys,
      [
        FirstReminder("pills", try schedule.encoded(), ladder: try ladder.encoded()), paused,
        FirstReminder("broken", [0xFF, 0xFF]),
      ])
    let store = try Store(
      path: "\(folder.path)/store.sqlite", keys: keys, migrations: RemindersSchema.migrations)
    let service = try RemindersService(
      store: store, settings: RemindersSettings(), now: { [now = desk.now] in now })
    let pills = try await service.getReminder(
      GetReminderRequest(id: "pills"), context: desk.call())
    #expect(pills.text == "Pills" && pills.notes == "with water" && pills.kind == .medicine)
    #expect(pills.schedule == schedule && pills.ladder == ladder && pills.state == .active)
    let second = try await service.getReminder(
      GetReminderRequest(id: "paused"), context: desk.call())
    #expect(second.state == .paused && second.schedule?.policy == .wall)
    let history = try await service.listHistory(ListHistoryRequest(), context: desk.call())
    #expect(history.occurrences.map(\.state) == [.missed, .doneLate])
    #expect(history.occurrences.map(\.missedReason) == [.quietHours, .unspecified])
    let missed = try await service.listHistory(
      ListHistoryRequest(state: .missed), context: desk.call())
    #expect(missed.occurrences.count == 1)
    let preferences = try await service.getPreferences(
      GetPreferencesRequest(), context: desk.call())
    #expect(preferences.zone == "Europe/London" && preferences.region == .britain)
    // One whose schedule could not be read is kept, and in the way of no other.
    let all = try await service.listReminders(ListRemindersRequest(), context: desk.call())
    #expect(Set(all.reminders.map(\.id)) == ["pills", "paused", "broken"])
    #expect(all.activeCount == 2)
  }

  /// What a new store begins with is what the first version made, and then the same steps.
  @Test func theFirstSchemaIsWhatItWas() async throws {
    let shipped = try Store(inMemoryWith: SealingKeys(worker: "a"), migrations: [Self.shipped])
    let ours = try Store(
      inMemoryWith: SealingKeys(worker: "a"),
      migrations: [RemindersSchema.migrations.first { $0.name == "reminders 1" }!])
    for table in ["reminder", "occurrence", "person"] {
      let columns: SQLText = """
        SELECT name, type, "notnull" AS required, dflt_value, pk FROM pragma_table_info(\(table))
        ORDER BY name
        """
      let indexes: SQLText = """
        SELECT l.name, l."unique", l.partial, i.seqno, i.name AS col
        FROM pragma_index_list(\(table)) l, pragma_index_info(l.name) i ORDER BY l.name, i.seqno
        """
      for query in [columns, indexes] {
        let expected = try await shipped.read { try $0.rows(query) }
        let found = try await ours.read { try $0.rows(query) }
        #expect(found == expected && !found.isEmpty, "\(table)")
      }
    }
  }

  /// What is read with every call or timer run reads an index and not the table.
  @Test(arguments: [
    (
      "SELECT count(*) FROM reminder WHERE (user_id = 'me' AND state = 'active') AND (TRUE)",
      "reminder_active"
    ),
    (
      "SELECT min(next_step_ms) FROM reminder WHERE (next_step_ms IS NOT NULL) AND (TRUE)",
      "reminder_next_step"
    ),
  ])
  func whatIsOftenReadHasItsIndex(_ query: String, _ index: String) async throws {
    let store = try Store(
      inMemoryWith: SealingKeys(worker: "a"), migrations: RemindersSchema.migrations)
    let plan = try await store.read {
      try $0.rows(SQLText(stringLiteral: "EXPLAIN QUERY PLAN \(query)"))
    }
    let details: [String] = try plan.values(of: "detail")
    #expect(details.contains { $0.contains(index) }, "\(details)")
  }
}

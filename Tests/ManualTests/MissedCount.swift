import GRDB
import KithStore
import KithWire
import KithWorker
import KithWorkerStore
import RemindersContract

/// How many reminders were missed, for nobody in particular.
struct MissedCount: StoredRecord {
  static let table = "missed_count"
  let id: String
  var count: Int

  static let migration = Store.Migration("1 missed count") { database in
    try database.execute(
      sql: """
        CREATE TABLE missed_count (id TEXT PRIMARY KEY NOT NULL, count INTEGER NOT NULL) STRICT
        """)
  }

  static func follow(in context: WorkerContext, into store: Store) throws {
    try context.consumeEvents(
      of: "kith.reminders.v1.Reminders", into: store, types: [ReminderMissed.fullName],
      lost: { lost, transaction in try transaction.delete(MissedCount.self, id: "all") }
    ) { event, transaction in
      let known = try transaction.record(MissedCount.self, id: "all")?.count ?? 0
      try transaction.save(MissedCount(id: "all", count: known + 1))
    }
  }
}

extension MissedCount {
  init(_ row: RecordReader) throws {
    self.init(id: try row["id"], count: try row["count"])
  }

  func write(to row: inout RecordWriter) throws {
    row.set("count", count)
  }
}

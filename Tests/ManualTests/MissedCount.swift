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
}

extension MissedCount {
  init(_ row: RecordReader) throws {
    self.init(id: try row["id"], count: try row["count"])
  }

  func write(to row: inout RecordWriter) throws {
    row.set("count", count)
  }
}

/// Counts the events that say so.
struct MissedCounts: Projection {
  static let name = "missed counts"
  static let types = [ReminderMissed.fullName]
  static let migrations = [
    Store.Migration(
      "1 missed count",
      creating: [Store.Table("missed_count", [.text("id"), .integer("count")])])
  ]

  func apply(_ event: LoggedEvent, in transaction: WriteTransaction) throws {
    let known = try transaction.record(MissedCount.self, id: "all")?.count ?? 0
    try transaction.save(MissedCount(id: "all", count: known + 1))
  }

  func restart(after lost: LostEvents, in transaction: WriteTransaction) throws {
    try transaction.delete(MissedCount.self, id: "all")
  }

  static func follow(in context: WorkerContext, into store: Store) throws {
    try context.follow(
      EventSource(of: "kith.reminders.v1.Reminders"), into: MissedCounts(), in: store)
  }
}

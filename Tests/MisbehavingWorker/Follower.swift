import KithStore
import KithTime
import KithWire
import KithWorker
import KithWorkerStore
import TestingContract

/// Follows the events of the list: writes each of its entries into a store of its own, and ten minutes after it happened tells
/// of it in turn.
struct Follower: DueWork {
  static let migration = Store.Migration(
    "1 followed",
    creating: [
      Store.Table(
        "followed",
        [
          .number("number"), .text("entry"), .integer("told_at_ms"),
          .boolean("is_told", default: false),
        ])
    ])

  private static let delay: Int64 = 600_000

  private let store: Store

  static func follow(_ context: WorkerContext) async throws {
    let store = try await context.openStore(migrations: [migration])
    let clock = context.clock
    try context.consumeEvents(of: "kith.testing.v1.Once", into: store, lost: { _, _ in }) {
      event, transaction in
      let entry = try AppendRequest(decoding: event.payload).entry
      try transaction.execute(
        """
        INSERT INTO followed (entry, told_at_ms) VALUES (\(entry), \(event.atMilliseconds + delay))
        """)
      if entry == "indigestible" { throw StartTrouble() }
      clock.dataChanged()
    }
    clock.run(Follower(store: store))
  }

  func nextDue() async throws -> Instant? {
    try await store.read { transaction in
      let rows = try transaction.rows(
        "SELECT min(told_at_ms) AS next FROM followed WHERE NOT is_told")
      return try rows[0]["next"] as Int?
    }.map { Instant(milliseconds: $0) }
  }

  func run(at now: Instant) async throws {
    let milliseconds = Int64(now.milliseconds)
    try await store.write { transaction in
      let rows = try transaction.rows(
        """
        UPDATE followed SET is_told = TRUE WHERE NOT is_told AND told_at_ms <= \(milliseconds)
        RETURNING entry
        """)
      let entries: [String] = try rows.values(of: "entry")
      for entry in entries {
        try transaction.append(AppendRequest(entry: entry), about: nil, at: milliseconds)
      }
    }
  }
}

import KithStore
import KithTime
import KithWire
import KithWorker
import KithWorkerStore
import TestingContract

/// Follows the events of the list: writes each of its entries into a store of its own, and ten
/// minutes after it happened tells of it in turn.
struct Follower: DueWork {
  private let store: Store

  static func follow(_ context: WorkerContext) async throws {
    let store = try await context.openStore(migrations: Followed.migrations)
    let clock = context.clock
    try context.follow(
      EventSource(of: "kith.testing.v1.Once"), into: Followed(clock: clock), in: store)
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

/// The entries of the list, each with the time at which it is to be told of.
private struct Followed: Projection {
  static let name = "kith.testing.v1.Once"
  static let types: [String] = []
  static let migrations = [
    Store.Migration(
      "1 followed",
      creating: [
        Store.Table(
          "followed",
          [
            .number("number"), .text("entry"), .integer("told_at_ms"),
            .boolean("is_told", default: false),
          ])
      ])
  ]

  private static let delay: Int64 = 600_000

  let clock: WorkerClock

  func apply(_ event: LoggedEvent, in transaction: WriteTransaction) throws {
    let entry = try AppendRequest(decoding: event.payload).entry
    let toldAt = event.atMilliseconds + Self.delay
    try transaction.execute("INSERT INTO followed (entry, told_at_ms) VALUES (\(entry), \(toldAt))")
    if entry == "indigestible" { throw StartTrouble() }
    clock.dataChanged()
  }

  func restart(after lost: LostEvents, in transaction: WriteTransaction) {}
}

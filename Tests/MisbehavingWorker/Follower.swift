import GRDB
import KithStore
import KithTime
import KithWire
import KithWorker
import KithWorkerStore
import TestingContract

/// Follows the events of the list: writes each of its entries into a store of its own, and ten minutes after it happened tells
/// of it in turn.
struct Follower: DueWork {
  static let migration = Store.Migration("1 followed") { database in
    try database.execute(
      sql: """
        CREATE TABLE followed (
          entry TEXT NOT NULL, told_at_ms INTEGER NOT NULL, is_told INTEGER NOT NULL DEFAULT 0
        ) STRICT
        """)
  }

  private static let delay: Int64 = 600_000

  private let store: Store

  static func follow(_ context: WorkerContext) async throws {
    let store = try await context.openStore(migrations: [migration])
    let clock = context.clock
    try context.consumeEvents(of: "kith.testing.v1.Once", into: store, lost: { _, _ in }) {
      event, transaction in
      let entry = try AppendRequest(decoding: event.payload).entry
      try transaction.database.execute(
        sql: "INSERT INTO followed (entry, told_at_ms) VALUES (?, ?)",
        arguments: [entry, event.atMilliseconds + delay])
      if entry == "indigestible" { throw StartTrouble() }
      clock.dataChanged()
    }
    clock.run(Follower(store: store))
  }

  func nextDue() async throws -> Instant? {
    try await store.read { transaction in
      try Int64.fetchOne(
        transaction.database, sql: "SELECT min(told_at_ms) FROM followed WHERE NOT is_told")
    }.map { Instant(milliseconds: Int($0)) }
  }

  func run(at now: Instant) async throws {
    let milliseconds = Int64(now.milliseconds)
    try await store.write { transaction in
      let entries = try String.fetchAll(
        transaction.database,
        sql: """
          UPDATE followed SET is_told = 1 WHERE NOT is_told AND told_at_ms <= ? RETURNING entry
          """, arguments: [milliseconds])
      for entry in entries {
        try transaction.append(AppendRequest(entry: entry), about: nil, at: milliseconds)
      }
    }
  }
}

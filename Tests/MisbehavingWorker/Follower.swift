import GRDB
import KithStore
import KithWire
import KithWorker
import KithWorkerStore
import TestingContract

/// Follows the events of the list, and writes each of its entries into a store of its own.
enum Follower {
  static let migration = Store.Migration("1 followed") { database in
    try database.execute(sql: "CREATE TABLE followed (entry TEXT NOT NULL) STRICT")
  }

  static func follow(_ context: WorkerContext) async throws {
    let store = try await context.openStore(migrations: [migration])
    try context.consumeEvents(of: "kith.testing.v1.Once", into: store, lost: { _, _ in }) {
      event, transaction in
      let entry = try AppendRequest(decoding: event.payload).entry
      try transaction.database.execute(sql: "INSERT INTO followed VALUES (?)", arguments: [entry])
    }
  }
}

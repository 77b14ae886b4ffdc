import GRDB
import KithSealing

/// A consistent view of a store, for the time of one ``Store/read(_:)`` or ``Store/write(_:)``.
///
///     let active = try await store.read { transaction in
///       try transaction.count(of: Reminder.self, where: "state = \(State.active)", under: grant)
///     }
///
/// What is personal goes through records (``StoredRecord``, ``UserRecord``), which seal it. Not to
/// be kept beyond the body that it was given to.
public protocol Transaction {
  /// The connection to the database.
  var connection: StoreConnection { get }
  /// What the store seals and opens with.
  var sealing: StoreSealing { get }
}

extension Transaction {
  var database: Database { connection.database }
}

/// A transaction that reads.
public struct ReadTransaction: Transaction {
  /// The connection to the database.
  public let connection: StoreConnection
  /// What the store seals and opens with.
  public let sealing: StoreSealing
}

/// A transaction that changes what is kept.
public struct WriteTransaction: Transaction {
  /// The connection to the database.
  public let connection: StoreConnection
  /// What the store seals and opens with.
  public let sealing: StoreSealing
  let events: EventLog
  let appended: EventLog.Appended
}

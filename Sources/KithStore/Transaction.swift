public import GRDB
import KithSealing

/// A consistent view of a store, for the time of one ``Store/read(_:)`` or ``Store/write(_:)``.
///
/// ``database`` takes any SQL. What is personal goes through records (``StoredRecord``), which seal it.
public protocol Transaction {
  /// The database. Not to be kept beyond the transaction.
  var database: Database { get }
  /// What the store seals and opens with.
  var sealing: StoreSealing { get }
}

/// A transaction that reads.
public struct ReadTransaction: Transaction {
  /// The database.
  public let database: Database
  /// What the store seals and opens with.
  public let sealing: StoreSealing
}

/// A transaction that changes what is kept.
public struct WriteTransaction: Transaction {
  /// The database.
  public let database: Database
  /// What the store seals and opens with.
  public let sealing: StoreSealing
  let events: EventLog
  let appended: EventLog.Appended
}

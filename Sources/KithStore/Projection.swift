/// What a worker makes of the events of another worker: tables of its own store, kept up to date
/// event by event.
///
///     struct MissedDoses: Projection {
///       static let name = "missed doses"
///       static let types = [ReminderMissed.fullName]
///       static let migrations = [Store.Migration("missed doses 1", creating: [table])]
///
///       func apply(_ event: LoggedEvent, in transaction: WriteTransaction) throws {
///         let missed = try ReminderMissed(decoding: event.payload)
///         try transaction.save(MissedDose(missed, of: event.user))
///       }
///       func restart(after lost: LostEvents, in transaction: WriteTransaction) throws {
///         try transaction.deleteAll(MissedDose.self)
///       }
///     }
///
/// List its migrations with the worker's own, and follow the events with
/// `context.follow(events, into: projection, in: store)`.
public protocol Projection: Sendable {
  /// The name under which the store keeps how far the projection has come, unique in the store and
  /// fixed forever.
  static var name: String { get }
  /// The full names of the messages that it takes; all when empty.
  static var types: [String] { get }
  /// The migrations that make its tables.
  static var migrations: [Store.Migration] { get }

  /// Takes an event, in the transaction in which the store notes that it was taken: once for each
  /// event, in their order. One that throws comes again, later and later, and nothing behind it is
  /// taken before.
  func apply(_ event: LoggedEvent, in transaction: WriteTransaction) throws
  /// Begins again, because events are in the log no more that were never taken. The events that are
  /// left follow.
  func restart(after lost: LostEvents, in transaction: WriteTransaction) throws
}

import FoundationEssentials
public import KithAccess
import Synchronization

/// How long a worker's events are kept, for consumers that are away.
public struct EventRetention: Sendable, Hashable {
  /// The oldest that is kept, against the newest one.
  public var age: Duration
  /// How many bytes of payload are kept at most. The newest event is kept whatever its size.
  public var bytes: Int

  /// A retention; 30 days and 64 MiB unless told.
  public init(age: Duration = .seconds(30 * 24 * 3600), bytes: Int = 64 << 20) {
    self.age = age
    self.bytes = bytes
  }
}

/// An event as it stands in the log.
public struct LoggedEvent: Sendable, Hashable {
  /// Its number: each event has one more than the one before it, from 1.
  public var sequence: Int64
  /// The full name of its payload's message: `kith.reminders.v1.ReminderSent`.
  public var type: String
  /// When it happened, in milliseconds since 1970.
  public var atMilliseconds: Int64
  /// Whom it is about; nil when it is about nobody.
  public var user: UserID?
  /// W3C Trace Context of the call that it came from; empty when that was not traced.
  public var traceparent: String
  /// The message, encoded.
  public var payload: [UInt8]

  /// An event; tests of consumers make their own.
  public init(
    sequence: Int64, type: String, atMilliseconds: Int64, user: UserID? = nil,
    traceparent: String = "", payload: [UInt8]
  ) {
    self.sequence = sequence
    self.type = type
    self.atMilliseconds = atMilliseconds
    self.user = user
    self.traceparent = traceparent
    self.payload = payload
  }
}

/// A place in a log: which log, and the last number that was seen of it.
public struct EventPosition: Sendable, Hashable {
  /// The log's name; empty before anything was seen.
  public var log: String
  /// The number of the last event that was seen; 0 before the first.
  public var sequence: Int64

  /// A position; the begin unless told.
  public init(log: String = "", sequence: Int64 = 0) {
    self.log = log
    self.sequence = sequence
  }
}

/// Events that are in no log any more, though a consumer has not seen them.
public struct LostEvents: Sendable, Hashable {
  /// Why.
  public enum Reason: Sendable, Hashable {
    /// The consumer was away for longer than events are kept.
    case retention
    /// The log is another one since a backup was restored or a damaged file saved: what the
    /// consumer has seen may be in it under other numbers, or not at all. All of the new log
    /// follows.
    case otherLog
    /// Their payloads are damaged: their bytes were changed on the disk, or their key is gone.
    case damaged
  }

  /// Why.
  public var reason: Reason
  /// The number of the first that is lost.
  public var from: Int64
  /// The number of the last that is lost; 0 when the other log has all of its events still.
  public var to: Int64

  /// A loss; tests of consumers make their own.
  public init(reason: Reason, from: Int64, to: Int64) {
    self.reason = reason
    self.from = from
    self.to = to
  }
}

/// Some events of a log, in order.
public struct EventPage: Sendable, Hashable {
  /// What was lost before them.
  public var lost: LostEvents?
  /// The events.
  public var events: [LoggedEvent]
  /// Where to go on: beyond what was left out because of its type, too.
  public var position: EventPosition

  /// Takes a damaged event into what was lost before this page's events; false when that has to be
  /// told with the next page.
  mutating func addDamaged(_ sequence: Int64) -> Bool {
    guard events.isEmpty else { return false }
    switch lost {
    case nil: lost = LostEvents(reason: .damaged, from: sequence, to: sequence)
    case let before? where before.reason == .damaged && before.to + 1 == sequence:
      lost?.to = sequence
    default: return false
    }
    return true
  }
}

/// What a store tells of its changes: events that are rows of its own, written in the transaction
/// of the change.
///
/// An event about a person is sealed; its type, its time and the person's id are not.
public final class EventLog: Sendable {
  /// How long events are kept.
  public let retention: EventRetention
  private let waiters = Mutex<[UInt64: AsyncStream<Void>.Continuation]>([:])
  private let isTelling = Atomic(true)
  private let nextWaiter = Atomic<UInt64>(0)

  init(retention: EventRetention) { self.retention = retention }

  static let migration = Store.Migration(
    "kith events 1",
    [
      .create(
        Store.Table(
          "kith_event",
          [
            .integer("sequence"), .text("type"), .integer("at_ms"), .text("user_id").optional,
            .text("traceparent"),
            // Of an event about nobody; of any other it is sealed.
            .bytes("payload").optional, .sealed("payload").optional,
            // The number of bytes of payload that the log had ever had, with this one.
            .integer("end"),
          ])),
      .create(head),
      .run(
        """
        INSERT INTO kith_event_head (id, last, "end", removed, removed_end) VALUES (1, 0, 0, 0, 0)
        """),
    ])

  private static let head = {
    var table = Store.Table(
      "kith_event_head",
      [
        .integer("id"),
        // The newest event, and its end.
        .integer("last"), .integer("end"),
        // The newest event that was removed, and its end.
        .integer("removed"), .integer("removed_end"),
      ])
    table.checks = ["id = 1"]
    return table
  }()

  /// A name for a log that no other has.
  static func newID() -> String { UUID().uuidString.lowercased() }

  // MARK: Waiting

  /// Ends the waits for something new.
  func announce() {
    for waiter in waiters.withLock({ Array($0.values) }) { waiter.yield() }
  }

  /// Signals, one after each change of the log that this process makes; several that nobody has
  /// waited for are one. The continuation lets somebody else signal too.
  package func signals() -> (AsyncStream<Void>, AsyncStream<Void>.Continuation) {
    let id = nextWaiter.add(1, ordering: .relaxed).newValue
    let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    continuation.onTermination = { _ in self.waiters.withLock { $0[id] = nil } }
    waiters.withLock { $0[id] = continuation }
    if !isTelling.load(ordering: .acquiring) { continuation.finish() }
    return (stream, continuation)
  }

  /// Ends all signals, those to come as well: the worker leaves, and its consumers go on with the
  /// next one.
  package func endSignals() {
    isTelling.store(false, ordering: .releasing)
    for waiter in waiters.withLock({ Array($0.values) }) { waiter.finish() }
  }

  /// Whether one transaction has appended anything. It never leaves the thread of its transaction.
  final class Appended {
    var count = 0
  }
}

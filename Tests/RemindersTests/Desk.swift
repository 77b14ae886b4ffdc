import Glibc
import KithAccess
import KithRPC
import KithSealing
import KithStore
import KithTesting
import KithTime
import KithWire
import RemindersContract
import Synchronization

@testable import RemindersService

/// A service of reminders over a store of its own, with a clock that a test moves.
final class Desk: Sendable {
  let folder: TemporaryFolder
  let store: Store
  let service: RemindersService
  let due: DueReminders
  private let keys: SealingKeys
  private let clock: Held<Instant>
  private let troubles: Held<[String]>

  /// A desk in New York.
  /// - Parameters:
  ///   - now: what its clock shows, on a wall in New York.
  ///   - other: a desk that has the store already: the next generation of its worker.
  init(
    _ now: String, settings: RemindersSettings? = nil, zones: Zones = Zones(),
    beside other: Desk? = nil
  ) throws {
    folder = try other?.folder ?? TemporaryFolder()
    keys = other?.keys ?? SealingKeys(worker: "reminders")
    store = try Store(
      path: "\(folder.path)/store.sqlite", keys: keys,
      migrations: RemindersSchema.migrations)
    let (clock, troubles) = (Held(try newYork(now)), Held<[String]>([]))
    (self.clock, self.troubles) = (clock, troubles)
    service = try RemindersService(
      store: store, zones: zones, settings: settings ?? RemindersSettings(),
      now: { clock.change { $0 } })
    due = service.due { id, _ in troubles.change { $0.append(id) } }
  }

  /// What the clock shows.
  var now: Instant { clock.change { $0 } }
  /// The reminders that could not be read.
  var unreadable: [String] { troubles.change { $0 } }

  /// Sets the clock, and does all that is due then, as if the worker had been down until now.
  func jump(to time: String) async throws {
    let instant = try newYork(time)
    clock.change { $0 = instant }
    try await settle()
  }

  /// Moves the clock from one thing that is due to the next, as it goes by itself.
  func pass(to time: String) async throws {
    let end = try newYork(time)
    while let due = try await due.nextDue(), due <= end {
      clock.change { $0 = max($0, due) }
      try await self.due.run(at: now)
    }
    clock.change { $0 = end }
  }

  /// Does all that is due; answers in how many turns.
  @discardableResult
  func settle() async throws -> Int {
    var turns = 0
    while let due = try await due.nextDue(), due <= now {
      try await self.due.run(at: now)
      turns += 1
    }
    return turns
  }

  /// The context of a call by a process of this user, in the name of a person or of nobody.
  func call(
    as user: String? = nil, _ method: MethodDescriptor = RemindersMethods.createReminder,
    key: String? = nil
  ) throws -> CallContext {
    CallContext(
      method: method, metadata: user.map { [CallContext.userKey: $0] } ?? [:],
      principal: .operator, idempotencyKey: try key.map { try IdempotencyKey($0) })
  }

  /// Makes a reminder in words.
  func add(_ text: String, as user: String? = nil) async throws -> Reminder {
    try await service.createReminder(CreateReminderRequest(text: text), context: call(as: user))
  }

  func get(_ id: String) async throws -> Reminder {
    try await service.getReminder(GetReminderRequest(id: id), context: call())
  }

  /// All events so far, in short: `sent 20:00`, on the walls of New York.
  func events() async throws -> [String] {
    let page = try await store.read { try $0.events(after: EventPosition(), limit: 100_000) }
    return try page.events.map { event in
      let at = try clockText(Int64(event.atMilliseconds))
      switch event.type {
      case ReminderSent.fullName:
        let sent = try ReminderSent(decoding: event.payload)
        let how = sent.lateByMs > 0 ? "late" : sent.repeat > 0 ? "again" : "sent"
        return "\(how) \(try clockText(sent.dueMs))" + (how == "sent" ? "" : " at \(at)")
      case ReminderMissed.fullName:
        let missed = try ReminderMissed(decoding: event.payload)
        return "missed \(try clockText(missed.dueMs)) \(missed.reason.name ?? "")"
      case ContactDue.fullName: return "contact at \(at)"
      case ReminderDone.fullName:
        return try ReminderDone(decoding: event.payload).isLate ? "done late" : "done"
      case ReminderSnoozed.fullName: return "snoozed"
      default: return event.type
      }
    }
  }

  /// The states of all occurrences, the latest first.
  func history() async throws -> [OccurrenceState] {
    try await service.listHistory(ListHistoryRequest(), context: call()).occurrences.map(\.state)
  }
}

/// A value that several tasks change.
private final class Held<Value: Sendable>: Sendable {
  private let value: Mutex<Value>

  init(_ value: Value) { self.value = Mutex(value) }

  func change<Answer: Sendable>(_ body: (inout sending Value) -> sending Answer) -> Answer {
    value.withLock(body)
  }
}

/// The instant of a time on a wall in New York: `2026-06-01 08:00`.
func newYork(_ text: String) throws -> Instant {
  try ZoneFiles().zone(named: "America/New_York").instant(of: wall(text))
}

private func clockText(_ milliseconds: Int64) throws -> String {
  let zone = try ZoneFiles().zone(named: "America/New_York")
  return String("\(zone.civil(at: Instant(milliseconds: Int(milliseconds))).time)".prefix(5))
}

import KithAccess
import KithStore
import KithTime
import RemindersContract
import RemindersDomain

/// What became of an occurrence, as a row.
struct StoredOccurrence {
  /// What became of it.
  enum State: String, Sendable, Hashable, CaseIterable, StoreConvertible {
    case scheduled, sent, snoozed, done
    case doneLate = "done_late"
    case missed

    /// The state of a contract's value; nil for one that names none.
    init?(_ state: OccurrenceState) {
      guard let known = Self.allCases.first(where: { $0.message == state }) else { return nil }
      self = known
    }

    /// As the contract has it.
    var message: OccurrenceState {
      switch self {
      case .scheduled: .scheduled
      case .sent: .sent
      case .snoozed: .snoozed
      case .done: .done
      case .doneLate: .doneLate
      case .missed: .missed
      }
    }
  }

  let reminder: String
  let user: UserID
  let due: Instant
  var state: State
  /// Why it was missed; nil while it is not.
  var missedReason: RemindersDomain.MissedReason?
  var sentAt: Instant?
  var doneAt: Instant?
  var snoozedUntil: Instant?
  var lateByMilliseconds: Int64 = 0

  /// The columns that change while it lives.
  static let changing: Set<String> = [
    "state", "missed_reason", "sent_at_ms", "done_at_ms", "snoozed_until_ms", "late_by_ms",
  ]

  /// The key of an occurrence's row.
  static func id(_ reminder: String, _ due: Instant) -> String {
    "\(reminder)/\(due.milliseconds)"
  }

  /// As the contract has it.
  var message: Occurrence {
    Occurrence(
      reminderId: reminder, dueMs: Int64(due.milliseconds), state: state.message,
      missedReason: missedReason.map { RemindersContract.MissedReason($0) } ?? .unspecified,
      sentAtMs: sentAt.map { Int64($0.milliseconds) },
      doneAtMs: doneAt.map { Int64($0.milliseconds) },
      snoozedUntilMs: snoozedUntil.map { Int64($0.milliseconds) }, lateByMs: lateByMilliseconds)
  }
}

extension StoredOccurrence: UserRecord {
  static let table = "occurrence"
  var id: String { Self.id(reminder, due) }

  init(_ row: RecordReader) throws {
    self.init(
      reminder: try row["reminder_id"], user: try row.user(),
      due: Instant(milliseconds: try row["due_ms"]),
      state: try row["state"],
      missedReason: try row["missed_reason"],
      sentAt: try row.instant("sent_at_ms"), doneAt: try row.instant("done_at_ms"),
      snoozedUntil: try row.instant("snoozed_until_ms"),
      lateByMilliseconds: try row["late_by_ms"])
  }

  func write(to row: inout RecordWriter) throws {
    row.set("reminder_id", reminder)
    row.set("due_ms", due.milliseconds)
    row.set("state", state)
    row.set("missed_reason", missedReason)
    row.set("sent_at_ms", sentAt?.milliseconds)
    row.set("done_at_ms", doneAt?.milliseconds)
    row.set("snoozed_until_ms", snoozedUntil?.milliseconds)
    row.set("late_by_ms", lateByMilliseconds)
  }
}

import FamilyAlertsDomain
import KithAccess
import KithRPC
public import KithStore
import KithTime
import KithWire
import RemindersContract

/// Opens an incident for each reminder that a contact is to be told of, resolves it when it is done
/// after all, and counts what was done and missed for the digest.
public struct ReminderEvents: Projection {
  /// The full name of the service whose worker tells of reminders.
  public static let service = RemindersMethods.createReminder.service
  /// As the store names it.
  public static let name = "reminders"
  /// The messages that it takes.
  public static let types = [
    ContactDue.fullName, ReminderDone.fullName, ReminderMissed.fullName,
  ]
  /// None of its own.
  public static let migrations: [Store.Migration] = []

  private let service: FamilyAlertsService

  init(_ service: FamilyAlertsService) { self.service = service }

  /// Takes an event.
  public func apply(_ event: LoggedEvent, in transaction: WriteTransaction) throws {
    guard let user = event.user else { return }
    let ledger = service.ledger(transaction, service.book, traceparent: event.traceparent)
    switch event.type {
    case ContactDue.fullName:
      guard service.isRecent(event) else { return }
      let due = try ContactDue(decoding: event.payload)
      _ = try ledger.open(
        IncidentDraft(
          user: user, dedupeKey: "reminder/\(due.key)", kind: .missedReminder,
          at: Instant(milliseconds: Int(due.dueMs)), summary: due.text))
    case ReminderDone.fullName:
      let done = try ReminderDone(decoding: event.payload)
      try DayCounts.change(of: user, on: day(done.dueMs, ledger), in: transaction) { day in
        day.done += 1
        if done.isLate { day.missed = max(day.missed - 1, 0) }
      }
      // The key of the step that told that a contact is due.
      try service.resolve(
        "reminder/\(done.reminderId)/\(done.dueMs)/contact", of: user, ledger)
    case ReminderMissed.fullName:
      let missed = try ReminderMissed(decoding: event.payload)
      try DayCounts.change(of: user, on: day(missed.dueMs, ledger), in: transaction) {
        $0.missed += 1
      }
    default: break
    }
  }

  /// Goes on with what is left: counts of days that are over stay as they are.
  public func restart(after lost: LostEvents, in transaction: WriteTransaction) throws {}

  private func day(_ milliseconds: Int64, _ ledger: IncidentLedger) -> CivilDate {
    ledger.book.zone.civil(at: Instant(milliseconds: Int(milliseconds))).date
  }
}

extension FamilyAlertsService {
  /// Opens incidents for reminders that were missed.
  public var reminderEvents: ReminderEvents { ReminderEvents(self) }
}

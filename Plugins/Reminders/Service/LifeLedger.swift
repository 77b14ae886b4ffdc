import KithAccess
import KithStore
import KithTime
import KithWire
import RemindersContract
import RemindersDomain

/// Writes what happened in a reminder's life: the row, the history of its occurrences and the
/// events, in one transaction.
struct LifeLedger {
  let book: ReminderBook
  let transaction: WriteTransaction
  let now: Instant
  /// W3C Trace Context of the call that brought it about; empty for what fell due.
  var traceparent = ""

  /// Writes a reminder that is new, or of which more has changed than its life. Answers the row as
  /// it is now.
  @discardableResult
  func save(_ row: StoredReminder, _ life: ReminderLife) throws -> StoredReminder {
    let row = book.row(row, with: life)
    try transaction.save(row, under: ReminderBook.ownGrant)
    return row
  }

  /// Writes a life that has gone on, with what happened in it.
  func keep(_ life: ReminderLife, of row: StoredReminder, _ events: [LifeEvent]) throws {
    let before = row
    let row = book.row(row, with: life)
    try transaction.update(
      row, columns: StoredReminder.columns(changedFrom: before, to: row),
      under: ReminderBook.ownGrant)
    for event in events { try tell(event, row, life) }
  }

  private func tell(_ event: LifeEvent, _ row: StoredReminder, _ life: ReminderLife) throws {
    switch event {
    case .sent(let key, let lateBy):
      let late = Int64(lateBy.components.seconds) * 1000
      // What is sent for the first time has no history yet.
      try transaction.save(
        StoredOccurrence(
          reminder: row.id, user: row.user, due: key.occurrence, state: .sent, sentAt: now,
          lateByMilliseconds: late), under: ReminderBook.ownGrant)
      try append(sending(key, row, life, lateBy: late), row)
    case .sentAgain(let key):
      try note(row, key.occurrence) { occurrence in
        occurrence.state = .sent
        occurrence.snoozedUntil = nil
        occurrence.missedReason = nil
      }
      try append(sending(key, row, life, lateBy: 0), row)
    case .missed(let key, let reason):
      try note(row, key.occurrence) { occurrence in
        occurrence.state = .missed
        occurrence.missedReason = reason
        occurrence.snoozedUntil = nil
      }
      try append(
        ReminderMissed(
          key: key.text, reminderId: row.id, dueMs: key.occurrence.contract,
          reason: RemindersContract.MissedReason(reason)), row)
    case .contact(let key):
      try append(
        ContactDue(
          key: key.text, reminderId: row.id, dueMs: key.occurrence.contract, text: row.spokenText),
        row)
    case .done(let due, let isLate):
      try note(row, due) { occurrence in
        occurrence.state = isLate ? .doneLate : .done
        occurrence.doneAt = now
        occurrence.snoozedUntil = nil
      }
      try append(ReminderDone(reminderId: row.id, dueMs: due.contract, isLate: isLate), row)
    case .snoozed(let due, let until):
      try note(row, due) { occurrence in
        occurrence.state = .snoozed
        occurrence.missedReason = nil
        occurrence.snoozedUntil = until
      }
      try append(
        ReminderSnoozed(reminderId: row.id, dueMs: due.contract, untilMs: until.contract), row)
    case .skipped(let from, let to):
      try append(
        OccurrencesSkipped(reminderId: row.id, fromMs: from.contract, toMs: to.contract), row)
    }
  }

  /// Changes what is known of an occurrence.
  private func note(
    _ row: StoredReminder, _ due: Instant, _ change: (inout StoredOccurrence) -> Void
  ) throws {
    let known = try transaction.record(
      StoredOccurrence.self, id: StoredOccurrence.id(row.id, due), under: ReminderBook.ownGrant)
    var occurrence =
      known ?? StoredOccurrence(reminder: row.id, user: row.user, due: due, state: .scheduled)
    change(&occurrence)
    if known == nil {
      try transaction.save(occurrence, under: ReminderBook.ownGrant)
    } else {
      try transaction.update(
        occurrence, columns: StoredOccurrence.changing, under: ReminderBook.ownGrant)
    }
  }

  private func append(_ event: some GeneratedMessage, _ row: StoredReminder) throws {
    try transaction.append(event, about: row.user, at: now.contract, traceparent: traceparent)
  }

  private func sending(
    _ key: StepKey, _ row: StoredReminder, _ life: ReminderLife, lateBy: Int64
  ) -> ReminderSent {
    guard case .notify(let round, let number) = key.step else { return ReminderSent() }
    let wall = life.plan.zone.civil(at: key.occurrence)
    let today = life.plan.zone.civil(at: now).date
    return ReminderSent(
      key: key.text, reminderId: row.id, dueMs: key.occurrence.contract, repeat: UInt32(number),
      snoozes: UInt32(round), lateByMs: lateBy,
      push: Push(
        title: row.spokenText,
        body: PlainWords.due(wall, today: today, isLate: lateBy > 0 || number > 0 || round > 0),
        // The id alone: of a reminder that asks again, the last asking counts.
        collapseId: row.id,
        expiresAtMs: ((life.progress.open?.ladderStart ?? now) + life.plan.ladder.missedAfter)
          .contract,
        isTimeSensitive: row.isMedicine, actions: ["CompleteOccurrence", "SnoozeOccurrence"]))
  }
}

extension Instant {
  /// As the contracts count: milliseconds since 1970-01-01T00:00:00Z.
  var contract: Int64 { Int64(milliseconds) }
}

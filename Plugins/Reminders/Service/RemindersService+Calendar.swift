import FoundationEssentials
import KithAccess
public import KithRPC
import KithStore
import KithTime
public import RemindersContract
import RemindersDomain

extension RemindersService {
  /// The reminders of a user as an iCalendar file.
  public func exportCalendar(
    _ request: ExportCalendarRequest, context: CallContext
  ) async throws -> ExportCalendarResponse {
    let user = try subject(request.userId, context)
    let (now, book) = (now(), book)
    return try await store.read { transaction in
      let grant = try self.allow(.own, on: user, context, transaction)
      let rows = try transaction.records(
        StoredReminder.self,
        where: request.includeInactive
          ? "user_id = \(user)"
          : "user_id = \(user) AND state = \(StoredReminder.State.active)",
        orderedBy: "created_at_ms, id", under: grant)
      let reminders = try rows.compactMap { row -> CalendarReminder? in
        guard let text = row.text.intact else { return nil }
        return CalendarReminder(
          uid: row.uid?.intact ?? row.id, text: text, notes: row.notes?.intact ?? "",
          schedule: try row.schedule.schedule,
          zone: row.schedule.zone, isMedicine: row.isMedicine)
      }
      let writer = CalendarWriter { try? book.zones.zone(named: $0) }
      return ExportCalendarResponse(
        calendar: writer.file(of: reminders, stamp: now),
        reminderCount: UInt32(clamping: reminders.count),
        damagedCount: UInt32(clamping: rows.count(where: \.isDamaged)))
    }
  }

  /// Makes reminders of an iCalendar file.
  public func importCalendar(
    _ request: ImportCalendarRequest, context: CallContext
  ) async throws -> ImportCalendarResponse {
    let user = try subject(request.userId, context)
    let (now, book) = (now(), book)
    let spoken = try ReminderDraft.zone(request.zone, "zone", book)
    let reader = CalendarReader { try? book.zones.zone(named: $0) }
    let file: CalendarReader.Result
    do throws(RemindersDomain.CalendarProblem) {
      file = try reader.read(request.calendar)
    } catch {
      throw RPCError.invalidArgument(
        field: "calendar", error.reason)
    }
    let answer = try await store.write { transaction in
      let grant = try self.allow(.change, on: user, context, transaction)
      let owner = try book.owner(user, in: transaction)
      let ledger = LifeLedger(book: book, transaction: transaction, now: now)
      var answer = ImportCalendarResponse(
        problems: file.problems.map {
          RemindersContract.CalendarProblem(line: UInt32($0.line), reason: $0.reason)
        })
      for reminder in file.reminders where !reminder.isDone {
        var reminder = reminder
        if reminder.zone == nil { reminder.zone = (spoken ?? owner.zone).name }
        if let problem = try Self.take(reminder, of: user, owner, ledger, grant) {
          if answer.problems.count < CalendarReader.mostProblems {
            answer.problems.append(RemindersContract.CalendarProblem(reason: problem))
          }
        } else {
          answer.importedCount += 1
        }
      }
      return answer
    }
    changed()
    return answer
  }

  /// Makes a reminder of a calendar's, or changes the one that was made of it before. Answers why
  /// it is left out.
  private static func take(
    _ reminder: CalendarReminder, of user: UserID, _ owner: ReminderBook.Owner,
    _ ledger: LifeLedger, _ grant: Access.Grant
  ) throws -> String? {
    let (book, transaction, now) = (ledger.book, ledger.transaction, ledger.now)
    do throws(RPCError) {
      try ReminderDraft.check(text: reminder.text, notes: reminder.notes)
      let zone = try ReminderDraft.zone(reminder.zone ?? "", "zone", book) ?? owner.zone
      try reminder.schedule.check(in: zone, field: "RRULE")
    } catch {
      return error.message
    }
    let schedule = StoredSchedule(reminder.schedule, in: reminder.zone ?? owner.zone.name)
    let text = reminder.text.isEmpty ? "Reminder" : reminder.text
    let known = try known(reminder.uid, of: user, transaction, grant)
    var row =
      known
      ?? StoredReminder(
        id: UUID().uuidString.lowercased(), user: user, text: Sealed(text),
        uid: reminder.uid.isEmpty ? nil : Sealed(reminder.uid), isMedicine: false, state: .active,
        schedule: schedule, createdAt: now, progress: ReminderProgress(cursor: now))
    row.text = Sealed(text)
    row.notes = reminder.notes.isEmpty ? nil : Sealed(reminder.notes)
    row.isMedicine = reminder.isMedicine || Wording.namesMedicine(text)
    let isNew = known == nil || row.schedule != schedule
    row.schedule = schedule
    var life = try book.life(of: row, owner)
    if isNew {
      life = life.rescheduled(to: life.plan, at: now)
      guard life.nextDue != nil else { return "the time of one is past, and nothing follows it" }
      if row.state != .paused { row.state = .active }
    }
    if known == nil {
      do {
        try checkLimit(user, book, transaction)
      } catch let error as RPCError {
        return error.message
      }
    }
    try ledger.save(row, life)
    return nil
  }

  /// The reminder that was made of a calendar's before, or that the calendar was made of.
  private static func known(
    _ uid: String, of user: UserID, _ transaction: WriteTransaction, _ grant: Access.Grant
  ) throws -> StoredReminder? {
    if uid.isEmpty { return nil }
    let own = try transaction.record(
      StoredReminder.self, id: uid, under: grant, markingDamage: true)
    if let own { return own }
    let index = transaction.index(of: uid, in: StoredReminder.self, "uid_index")
    return try transaction.records(
      StoredReminder.self, where: "user_id = \(user) AND uid_index = \(index)", limit: 1,
      under: grant
    ).first
  }
}

import FoundationEssentials
import KithAccess
public import KithRPC
import KithStore
import KithTime
public import RemindersContract
import RemindersDomain

extension RemindersService {
  /// Makes a reminder.
  public func createReminder(
    _ request: CreateReminderRequest, context: CallContext
  ) async throws -> Reminder {
    let user = try subject(request.userId, context)
    let (now, book) = (now(), book)
    let answer = try await store.write(for: context, request, now: now.seconds) { transaction in
      _ = try self.allow(.change, on: user, context, transaction)
      let owner = try book.owner(user, in: transaction)
      let draft = try ReminderDraft(request, of: owner, book, now: now)
      if let ladder = request.ladder {
        _ = try RemindersDomain.Ladder(ladder, grace: .zero, field: "ladder")
      }
      try Self.checkLimit(user, book, transaction)
      let row = StoredReminder(
        id: UUID().uuidString.lowercased(), user: user, text: Sealed(draft.text),
        notes: request.notes.isEmpty ? nil : Sealed(request.notes), isMedicine: draft.isMedicine,
        state: .active, schedule: StoredSchedule(draft.schedule, in: draft.zone.name),
        ladder: request.ladder.map { StoredLadder($0) }, createdAt: now,
        progress: ReminderProgress(cursor: now))
      let ledger = LifeLedger(book: book, transaction: transaction, now: now)
      let kept = try ledger.save(row, try book.life(of: row, owner))
      var answer = try self.message(kept, book, transaction)
      answer.alternatives = draft.alternatives.map { $0.message(in: draft.zone.name) }
      return answer
    }
    changed()
    return answer
  }

  /// - Throws: RESOURCE_EXHAUSTED where somebody has as many active reminders as they may.
  static func checkLimit(
    _ user: UserID, _ book: ReminderBook, _ transaction: some Transaction
  ) throws {
    guard let most = book.mostActive, try activeCount(of: user, transaction) >= most
    else { return }
    throw RPCError(
      .resourceExhausted,
      "\(most) reminders are active, as many as the plan allows; finish, pause or delete one")
  }

  /// Changes what is given.
  public func updateReminder(
    _ request: UpdateReminderRequest, context: CallContext
  ) async throws -> Reminder {
    try ReminderDraft.check(text: request.text ?? "", notes: request.notes ?? "")
    let (now, book) = (now(), book)
    let answer = try await store.write { transaction in
      var row = try self.row(request.id, for: .change, context, transaction)
      let owner = try book.owner(row.user, in: transaction)
      if let text = request.text {
        guard !text.isEmpty else { throw RPCError.invalidArgument(field: "text", "it is empty") }
        row.text = Sealed(text)
      }
      if let notes = request.notes { row.notes = notes.isEmpty ? nil : Sealed(notes) }
      if request.kind != .unspecified { row.isMedicine = request.kind == .medicine }
      if let ladder = request.ladder {
        _ = try RemindersDomain.Ladder(ladder, grace: .zero, field: "ladder")
        row.ladder = StoredLadder(ladder)
      }
      var isNew = false
      if let message = request.schedule {
        let zone =
          try ReminderDraft.zone(message.zone, "schedule.zone", book)?.name ?? row.schedule.zone
        let asked = try RemindersDomain.Schedule(message, field: "schedule")
        try asked.check(in: try book.zones.zone(named: zone), field: "schedule.rule")
        let schedule = StoredSchedule(asked, in: zone)
        isNew = schedule != row.schedule
        row.schedule = schedule
      }
      let wasActive = row.state == .active
      switch request.state {
      case .unspecified: if isNew, row.state == .finished { row.state = .active }
      case .active: row.state = .active
      case .paused: row.state = .paused
      default:
        throw RPCError.invalidArgument(field: "state", "expected ACTIVE or PAUSED")
      }
      if row.state == .active, !wasActive {
        isNew = true
        try Self.checkLimit(row.user, book, transaction)
      }
      var life = try book.life(of: row, owner)
      if isNew || row.state == .paused {
        try Self.endOpen(row, transaction)
        life = life.rescheduled(to: life.plan, at: now)
        guard row.state == .paused || life.nextDue != nil else {
          throw RPCError.invalidArgument(
            field: "schedule", "the time is past, and nothing follows it")
        }
      }
      let ledger = LifeLedger(book: book, transaction: transaction, now: now)
      return try self.message(try ledger.save(row, life), book, transaction)
    }
    changed()
    return answer
  }

  /// An occurrence that waits for an answer while its reminder is changed is over.
  private static func endOpen(_ row: StoredReminder, _ transaction: WriteTransaction) throws {
    guard let open = row.progress.open,
      var occurrence = try transaction.record(
        StoredOccurrence.self, id: StoredOccurrence.id(row.id, open.due),
        under: ReminderBook.ownGrant), occurrence.state == .sent || occurrence.state == .snoozed
    else { return }
    (occurrence.state, occurrence.missedReason) = (.missed, .superseded)
    occurrence.snoozedUntil = nil
    try transaction.save(occurrence, under: ReminderBook.ownGrant)
  }

  // MARK: - Preferences

  /// What is known of a user.
  public func getPreferences(
    _ request: GetPreferencesRequest, context: CallContext
  ) async throws -> Preferences {
    let user = try subject(request.userId, context)
    let book = book
    return try await store.read { transaction in
      _ = try self.allow(.read, on: user, context, transaction)
      return Self.preferences(of: user, try book.owner(user, in: transaction))
    }
  }

  /// Changes what is known of a user, and works out all reminders anew that depend on it.
  public func updatePreferences(
    _ request: UpdatePreferencesRequest, context: CallContext
  ) async throws -> Preferences {
    let user = try subject(request.userId, context)
    let (now, book) = (now(), book)
    _ = try ReminderDraft.zone(request.zone, "zone", book)
    let answer = try await store.write { transaction in
      _ = try self.allow(.change, on: user, context, transaction)
      let before = try book.owner(user, in: transaction)
      var person =
        try transaction.record(
          StoredPerson.self, id: user.text, under: ReminderBook.ownGrant)
        ?? StoredPerson(user: user)
      if !request.zone.isEmpty { person.zone = request.zone }
      if let hours = request.quietHours {
        person.quietHours =
          try RemindersDomain.QuietHours(
            from: hours.from, to: hours.to, fields: ("quiet_hours.from", "quiet_hours.to"))
          ?? RemindersDomain.QuietHours(from: .midnight, to: .midnight)
      }
      if request.region != .unspecified {
        person.region = RemindersDomain.Region(request.region)
      }
      try transaction.save(person, under: ReminderBook.ownGrant)
      let after = try book.owner(user, in: transaction)
      let ledger = LifeLedger(book: book, transaction: transaction, now: now)
      let rows = try transaction.records(
        StoredReminder.self, where: "state <> \(StoredReminder.State.finished)",
        under: Access.Grant.all(of: user))
      for row in rows {
        let life = try book.life(of: row, before)
        // What was bound to the wall of where its owner was goes along; what was bound to another
        // place stays there.
        let goesAlong =
          life.plan.schedule.policy == .wall && life.plan.scheduleZone.name == before.zone.name
        var plan = life.plan
        plan.quietHours = after.quietHours
        let moved = ReminderLife(plan: plan, progress: life.progress)
          .moved(
            to: after.zone, scheduleZone: goesAlong ? after.zone : plan.scheduleZone)
        try ledger.keep(moved, of: row, [])
      }
      return Self.preferences(of: user, after)
    }
    changed()
    return answer
  }

  private static func preferences(of user: UserID, _ owner: ReminderBook.Owner) -> Preferences {
    func text(_ time: CivilTime) -> String { String("\(time)".prefix(5)) }
    let hours = owner.quietHours.map {
      RemindersContract.QuietHours(from: text($0.from), to: text($0.to))
    }
    return Preferences(
      userId: user.text, zone: owner.zone.name,
      quietHours: hours ?? RemindersContract.QuietHours(from: "00:00", to: "00:00"),
      region: RemindersContract.Region(owner.region))
  }
}

extension Access.Grant {
  /// The worker's own right to the records of one person.
  static func all(of user: UserID) throws -> Access.Grant {
    try Access(of: .product).grant(.own, on: user)
  }
}

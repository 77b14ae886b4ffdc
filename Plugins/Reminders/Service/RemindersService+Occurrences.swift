import KithAccess
public import KithRPC
import KithStore
import KithTime
import KithWire
public import RemindersContract
import RemindersDomain

extension RemindersService {
  private static let day = Duration.seconds(86_400)

  // MARK: - Answers

  /// An occurrence is done.
  public func completeOccurrence(
    _ request: CompleteOccurrenceRequest, context: CallContext
  ) async throws -> Occurrence {
    try await answer(request, request.reminderId, context) { life, row, transaction, now in
      let due =
        try request.dueMs.map { Instant(milliseconds: Int($0)) }
        ?? Self.nearest(life, row, transaction, now)
      let known = try transaction.record(
        StoredOccurrence.self, id: StoredOccurrence.id(row.id, due), under: ReminderBook.ownGrant)
      if known?.state == .done || known?.state == .doneLate { return (due, []) }
      return (due, try life.done(due, at: now, wasMissed: known?.state == .missed))
    }
  }

  /// An occurrence is to be sent again later.
  public func snoozeOccurrence(
    _ request: SnoozeOccurrenceRequest, context: CallContext
  ) async throws -> Occurrence {
    let length = Duration.milliseconds(request.forMs == 0 ? 600_000 : Int64(request.forMs))
    return try await answer(request, request.reminderId, context) { life, row, _, now in
      guard
        let due = request.dueMs.map({ Instant(milliseconds: Int($0)) })
          ?? life.progress.open?.due
      else {
        throw RPCError(.failedPrecondition, "nothing of the reminder waits for an answer")
      }
      return (due, try life.snooze(due, until: now + length, at: now))
    }
  }

  /// Takes an answer of the reminder's owner, and tells what became of the occurrence.
  private func answer(
    _ request: some WireMessage, _ id: String, _ context: CallContext,
    _ take:
      @escaping @Sendable (
        inout ReminderLife, StoredReminder, WriteTransaction, Instant
      ) throws -> (due: Instant, events: [LifeEvent])
  ) async throws -> Occurrence {
    let (now, book) = (now(), book)
    let answer = try await store.write(for: context, request, now: now.seconds) { transaction in
      let row = try self.row(id, field: "reminder_id", for: .change, context, transaction)
      var life = try book.life(of: row, try book.owner(row.user, in: transaction))
      let (due, events): (Instant, [LifeEvent])
      do {
        (due, events) = try take(&life, row, transaction, now)
      } catch let error as AnswerError {
        throw RPCError(error)
      }
      let ledger = LifeLedger(
        book: book, transaction: transaction, now: now, traceparent: context.traceparent)
      if !events.isEmpty { try ledger.keep(life, of: row, events) }
      let occurrence = try transaction.record(
        StoredOccurrence.self, id: StoredOccurrence.id(row.id, due), under: ReminderBook.ownGrant)
      return occurrence?.message
        ?? Occurrence(reminderId: row.id, dueMs: due.contract, state: .scheduled)
    }
    changed()
    return answer
  }

  /// The occurrence that somebody means who names none: the open one, else the nearer of one that
  /// was missed in the last day and one that is due within the next.
  private static func nearest(
    _ life: ReminderLife, _ row: StoredReminder, _ transaction: WriteTransaction, _ now: Instant
  ) throws -> Instant {
    if let open = life.progress.open { return open.due }
    let missed = try transaction.records(
      StoredOccurrence.self,
      where: """
        reminder_id = \(row.id) AND due_ms > \((now - day).milliseconds)
        AND state = \(StoredOccurrence.State.missed)
        """, orderedBy: "due_ms DESC", limit: 1, under: ReminderBook.ownGrant
    ).first?.due
    let next = life.upcoming.first { _ in true }.flatMap { $0 <= now + day ? $0 : nil }
    switch (missed, next) {
    case (let missed?, let next?): return now - missed < next - now ? missed : next
    case (let due?, nil), (nil, let due?): return due
    case (nil, nil):
      throw RPCError(
        .failedPrecondition,
        "nothing of the reminder waits for an answer, and nothing is due within a day; name the "
          + "occurrence with due_ms")
    }
  }

  // MARK: - What is to come

  /// What is due in the time to come.
  public func listUpcoming(
    _ request: ListUpcomingRequest, context: CallContext
  ) async throws -> ListUpcomingResponse {
    let user = try subject(request.userId, context)
    let size = try Page.size(request.pageSize)
    let within = request.withinMs == 0 ? 86_400_000 : request.withinMs
    guard within <= 366 * 86_400_000 else {
      throw RPCError.invalidArgument(field: "within_ms", "expected up to 366 days")
    }
    let (now, book) = (now(), book)
    let end = now + .milliseconds(Int64(within))
    return try await store.read { transaction in
      let grant = try self.allow(.read, on: user, context, transaction)
      let owner = try book.owner(user, in: transaction)
      // The first occurrences of all are among those of the reminders that are due first.
      let rows = try transaction.records(
        StoredReminder.self,
        where: """
          user_id = \(user) AND next_due_ms IS NOT NULL
          AND next_due_ms <= \((end + Self.day).milliseconds)
          """, orderedBy: "next_due_ms", limit: size + 1, under: grant)
      var upcoming: [UpcomingOccurrence] = []
      for row in rows {
        let life = try book.life(of: row, owner)
        let zone = life.plan.scheduleZone
        for due in life.upcoming.prefix(while: { $0 < end }).prefix(size + 1) {
          upcoming.append(
            UpcomingOccurrence(
              reminderId: row.id, text: row.text.intact ?? "", dueMs: due.contract,
              dueWall: "\(zone.civil(at: due))", isDamaged: row.text.isDamaged))
        }
      }
      upcoming.sort { ($0.dueMs, $0.reminderId) < ($1.dueMs, $1.reminderId) }
      return ListUpcomingResponse(
        occurrences: Array(upcoming.prefix(size)), hasMore: upcoming.count > size)
    }
  }

  // MARK: - What was

  /// What became of occurrences.
  public func listHistory(
    _ request: ListHistoryRequest, context: CallContext
  ) async throws -> ListHistoryResponse {
    let user = try subject(request.userId, context)
    let size = try Page.size(request.pageSize)
    let place = try Page(token: request.pageToken)
    return try await store.read { transaction in
      let grant = try self.allow(.read, on: user, context, transaction)
      var condition: SQLText = "user_id = \(user)"
      if !request.reminderId.isEmpty { condition += " AND reminder_id = \(request.reminderId)" }
      if request.state != .unspecified {
        guard let state = StoredOccurrence.State(request.state) else {
          return ListHistoryResponse()
        }
        condition += " AND state = \(state)"
      }
      if let from = request.fromMs { condition += " AND due_ms >= \(from)" }
      if let to = request.toMs { condition += " AND due_ms < \(to)" }
      let page = try transaction.page(
        of: StoredOccurrence.self, where: condition, by: ["due_ms", "id"], descending: true,
        after: place.flatMap { place in
          place.due.map { [.integer($0.contract), .text(place.id)] }
        }, limit: size, under: grant)
      return ListHistoryResponse(
        occurrences: page.records.map(\.message),
        nextPageToken: page.next == nil
          ? "" : page.records.last.map { Page(due: $0.due, id: $0.id).token } ?? "")
    }
  }

  /// A week of a user in figures and words.
  public func getWeeklyDigest(
    _ request: GetWeeklyDigestRequest, context: CallContext
  ) async throws -> GetWeeklyDigestResponse {
    let user = try subject(request.userId, context)
    let (now, book) = (now(), book)
    var asked: CivilDate?
    if !request.day.isEmpty {
      asked = CivilDate(request.day)
      if asked == nil {
        throw RPCError.invalidArgument(field: "day", "expected a day such as 2026-11-21")
      }
    }
    return try await store.read { [asked] transaction in
      _ = try self.allow(.read, on: user, context, transaction)
      let zone = try book.owner(user, in: transaction).zone
      let day = asked ?? zone.civil(at: now).date.adding(days: -7)
      let first = day.adding(days: -day.weekday.days(after: .monday))
      let from = zone.instant(of: first.at(.midnight))
      let to = zone.instant(of: first.adding(days: 7).at(.midnight))
      let rows = try transaction.rows(
        """
        SELECT state, missed_reason, count(*) AS number FROM occurrence
        WHERE user_id = \(user) AND due_ms >= \(from.milliseconds)
        AND due_ms < \(to.milliseconds) GROUP BY state, missed_reason
        """)
      var digest = WeeklyDigest(firstDay: first)
      for row in rows {
        let reason: RemindersDomain.MissedReason? = try row["missed_reason"]
        let count: Int = try row["number"]
        digest.due += count
        switch try row["state"] as StoredOccurrence.State {
        case .done: digest.done += count
        case .doneLate: digest.doneLate += count
        case .missed:
          digest.missed += count
          if reason == .downtime { digest.missedByDowntime += count }
        case .scheduled, .sent, .snoozed: break
        }
      }
      return GetWeeklyDigestResponse(
        firstDay: "\(first)", dueCount: UInt32(clamping: digest.due),
        doneCount: UInt32(clamping: digest.done),
        doneLateCount: UInt32(clamping: digest.doneLate),
        missedCount: UInt32(clamping: digest.missed),
        missedByDowntimeCount: UInt32(clamping: digest.missedByDowntime), summary: digest.summary)
    }
  }

  // MARK: - Words

  /// What a text says about time.
  public func readTime(
    _ request: ReadTimeRequest, context: CallContext
  ) async throws -> ReadTimeResponse {
    try ReminderDraft.check(text: request.text, notes: "")
    let (now, book) = (now(), book)
    let user = try subject("", context)
    let owner = try await store.read { try book.owner(user, in: $0) }
    let zone = try ReminderDraft.zone(request.zone, "zone", book) ?? owner.zone
    let reader = TimeReader(
      reference: request.referenceMs.map { Instant(milliseconds: Int($0)) } ?? now, zone: zone,
      options: .init(region: owner.region))
    guard let reading = reader.read(request.text) else {
      return ReadTimeResponse(text: request.text)
    }
    return ReadTimeResponse(
      schedule: reading.meaning.schedule.message(in: zone.name),
      alternatives: reading.alternatives.map { $0.schedule.message(in: zone.name) },
      text: reading.text,
      spans: reading.spans.map {
        TextSpan(start: UInt32($0.lowerBound), end: UInt32($0.upperBound))
      })
  }
}

extension RPCError {
  fileprivate init(_ error: AnswerError) {
    switch error {
    case .noSuchOccurrence: self.init(.notFound, error.description)
    case .alreadyDone: self.init(.failedPrecondition, error.description)
    case .snoozeOutOfRange:
      self = .invalidArgument(field: "for_ms", error.description)
    }
  }
}

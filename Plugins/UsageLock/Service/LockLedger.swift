import FoundationEssentials
import KithAccess
import KithRPC
import KithStore
import KithTime
import KithWire
import LockContract
import UsageLockDomain

/// One change: the trusted time at which it happens, the person as they are then, and what is told
/// of it, in one transaction.
struct LockLedger {
  /// How far time goes on until it is written down without another change.
  private static let tick = Duration.seconds(1)

  let book: LockBook
  let transaction: WriteTransaction
  let clock: TrustedClock
  var traceparent = ""

  /// Begins a change: reads the clock, and writes down how far it has come.
  init(_ book: LockBook, _ transaction: WriteTransaction, traceparent: String = "") throws {
    self.book = book
    self.transaction = transaction
    self.traceparent = traceparent
    guard let stored = try transaction.record(StoredClock.self, id: StoredClock.only)?.clock else {
      clock = TrustedClock(startingAt: book.reading)
      try transaction.save(StoredClock(clock))
      return
    }
    let (clock, verdict) = Self.advanced(stored, book)
    self.clock = clock
    if verdict.elapsed >= Self.tick || verdict.isNewBoot || verdict.step != nil
      || clock.isTrusted != stored.isTrusted
    {
      try transaction.save(StoredClock(clock))
    }
    if verdict.isNewBoot, !book.settings.isWallKept {
      // For how long the machine was off is not known: what was open may be over.
      try transaction.execute(
        """
        UPDATE person SET open_until_ms = min(open_until_ms, \(clock.now.milliseconds)),
        pass_until_ms = min(pass_until_ms, \(clock.now.milliseconds)),
        next_due_ms = \(clock.now.milliseconds)
        WHERE open_until_ms IS NOT NULL OR pass_until_ms IS NOT NULL
        """)
    }
    if let step = verdict.step {
      try transaction.append(
        ClockStepped(byMs: step.milliseconds), about: nil, at: clock.now.contract,
        traceparent: traceparent)
    }
  }

  /// The trusted time of a transaction that changes nothing.
  static func clock(_ book: LockBook, _ transaction: some Transaction) throws -> TrustedClock {
    guard let stored = try transaction.record(StoredClock.self, id: StoredClock.only)?.clock else {
      return TrustedClock(startingAt: book.reading)
    }
    return advanced(stored, book).0
  }

  /// What the clocks tell since the trusted one was written down last; nil before that.
  static func verdict(
    _ book: LockBook, _ transaction: some Transaction
  ) throws -> TrustedClock.Verdict? {
    try transaction.record(StoredClock.self, id: StoredClock.only).map {
      advanced($0.clock, book).1
    }
  }

  private static func advanced(
    _ stored: TrustedClock, _ book: LockBook
  ) -> (TrustedClock, TrustedClock.Verdict) {
    var clock = stored
    let verdict = clock.advance(to: book.reading, isWallKept: book.settings.isWallKept)
    return (clock, verdict)
  }

  // MARK: People

  /// Somebody as they are stored; nil where they have no profile.
  static func stored(
    _ user: UserID, _ book: LockBook, _ transaction: some Transaction
  ) throws -> StoredPerson? {
    guard
      let row = try transaction.record(
        StoredPersonRow.self, id: user.text, under: LockBook.ownGrant)
    else { return nil }
    return row.person(
      try book.zones.zone(named: row.dayZone), book.settings.debounce)
  }

  /// Somebody as they are now, where nothing is to be changed.
  static func shown(
    _ user: UserID, _ book: LockBook, _ clock: TrustedClock, _ transaction: some Transaction
  ) throws -> StoredPerson {
    guard var person = try stored(user, book, transaction) else { throw RPCError.noProfile }
    if try verdict(book, transaction)?.isNewBoot == true, !book.settings.isWallKept {
      person.state.openUntil = nil
      person.state.passes.openUntil = nil
    }
    _ = person.state.advance(to: clock.now, isTrusted: clock.isTrusted, zone: book.zone)
    return person
  }

  /// Changes somebody: first time goes on, then the body changes them; what both brought is
  /// written.
  func change<Answer>(
    _ user: UserID, _ body: (inout StoredPerson) throws -> Answer
  ) throws -> Answer {
    guard let before = try Self.stored(user, book, transaction) else { throw RPCError.noProfile }
    var person = before
    try goOn(&person)
    let answer = try body(&person)
    // A use may have used up the budget.
    try goOn(&person)
    person.nextDue = nextDue(of: person)
    let columns = person.columns(changedFrom: before)
    if !columns.isEmpty {
      try transaction.update(StoredPersonRow(person), columns: columns, under: LockBook.ownGrant)
    }
    return answer
  }

  /// Writes somebody who begins.
  func begin(_ person: StoredPerson) throws {
    try transaction.save(StoredPersonRow(person), under: LockBook.ownGrant)
  }

  private func goOn(_ person: inout StoredPerson) throws {
    let happenings = person.state.advance(
      to: clock.now, isTrusted: clock.isTrusted, zone: book.zone)
    for happening in happenings {
      switch happening {
      case .windowClosed(let at): try tell(WindowClosed(atMs: at.contract), person)
      case .changeApplied:
        try tell(ChangeApplied(), person)
        try note(.changeApplied, "a looser profile took effect", person)
      case .budgetUsedUp(let day):
        try tell(BudgetUsedUp(day: "\(day)"), person)
        try note(.budgetUsedUp, "the budget of \(day) is used up", person)
      }
    }
    if let at = person.remindAt, clock.now >= at {
      try tell(RemindedLater(appId: person.remindApp ?? ""), person)
      (person.remindAt, person.remindApp) = (nil, nil)
    }
  }

  /// When there is something to do for somebody, in trusted time; nil for never.
  private func nextDue(of person: StoredPerson) -> Instant? {
    var due = [person.state.openUntil, person.state.passes.openUntil, person.remindAt].compactMap(
      \.self)
    // What waits takes effect in a time that is trusted.
    if let pending = person.state.pendingDue {
      due.append(max(pending, clock.now + clock.unproven))
    }
    return due.min()
  }

  // MARK: Telling

  /// Appends an event about somebody.
  func tell(_ event: some GeneratedMessage, _ person: StoredPerson) throws {
    try transaction.append(
      event, about: person.user, at: clock.now.contract, traceparent: traceparent)
  }

  /// Writes something into somebody's activity log.
  func note(_ kind: StoredActivity.Kind, _ detail: String, _ person: StoredPerson) throws {
    try transaction.save(
      StoredActivity(
        id: UUID().uuidString.lowercased(), user: person.user, at: clock.now, kind: kind,
        detail: detail), under: LockBook.ownGrant)
  }
}

extension RPCError {
  static var noProfile: RPCError {
    RPCError(.notFound, "the person has no profile: set one first")
  }
}

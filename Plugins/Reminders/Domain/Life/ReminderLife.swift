public import KithTime

/// The life of a reminder: given what it is to do, how far it has come and what time it is, what
/// happens now and when to look again.
///
/// A value without clock and store. Whoever keeps it stores `progress` and the events of one call
/// in one transaction; then nothing is sent twice and nothing is lost, whatever is killed when.
/// Calls at any times, in any order of the clock, are allowed: a clock that is put back sends
/// nothing again, one that is put forward is a downtime.
public struct ReminderLife: Sendable, Hashable {
  /// What the reminder is to do.
  public let plan: ReminderPlan
  /// How far it has come.
  public private(set) var progress: ReminderProgress

  /// What is sent so soon after it was due is in time: many may be due at one moment.
  public static let punctual = Duration.seconds(60)

  /// How many occurrences missed in a downtime are told one by one.
  public static let missedOneByOne = 1000

  /// A life as it was stored.
  public init(plan: ReminderPlan, progress: ReminderProgress) {
    self.plan = plan
    self.progress = progress
  }

  // MARK: Time

  /// Everything that is due by now.
  public mutating func advance(to now: Instant) -> [LifeEvent] {
    var events: [LifeEvent] = []
    let ripe = takeRipe(by: now, &events)
    climb(to: now, isFollowed: ripe != nil, &events)
    if let ripe { send(ripe, at: now, &events) }
    return events
  }

  /// When `advance` has something to do next; nil for never. At any time before, it does nothing.
  public var nextDue: Instant? { nextDue(sending: nextSending) }

  /// The same, where it is known already when an occurrence is sent next.
  public func nextDue(sending: Instant?) -> Instant? {
    [sending, openDue].compactMap { $0 }.min()
  }

  /// When the next occurrence is sent that is not decided yet; nil for never.
  public var nextSending: Instant? {
    nextOccurrences.first { $0.instant != progress.doneAhead }.map { plan.allowed($0.instant) }
  }

  /// The occurrences to come, ascending: what was done ahead is left out.
  public var upcoming: some Sequence<Instant> {
    let doneAhead = progress.doneAhead
    return nextOccurrences.lazy.map(\.instant).filter { $0 != doneAhead }
  }

  /// The occurrences that are not decided yet, ascending.
  private var nextOccurrences: LazyFilterSequence<ScheduledOccurrences> {
    let decided = progress.wallsDecided
    return plan.schedule.occurrences(in: plan.scheduleZone, after: progress.cursor).lazy
      .filter { occurrence in decided.map { occurrence.wall > $0 } ?? true }
  }

  // MARK: Occurrences

  /// Takes the occurrences that are due and may be sent. The last of them is sent if it is not too
  /// late; all others are missed, so that a downtime is never followed by a burst.
  private mutating func takeRipe(by now: Instant, _ events: inout [LifeEvent]) -> Instant? {
    var newest: Instant?
    var untold: (from: Instant, to: Instant)?
    var count = 0
    var occurrences = nextOccurrences.makeIterator()
    while let occurrence = occurrences.next(), plan.allowed(occurrence.instant) <= now {
      if let passed = newest {
        count += 1
        if count <= Self.missedOneByOne {
          miss(passed, at: now, &events)
        } else {
          untold = (untold?.from ?? passed, passed)
        }
        newest = nil
      }
      if count == Self.missedOneByOne, let later = tooLate(now) {
        // The rest of a long downtime is not even looked at.
        untold = (occurrence.instant, later)
        progress.cursor = later
        count += 1
        occurrences = nextOccurrences.makeIterator()
        continue
      }
      if occurrence.instant != progress.doneAhead { newest = occurrence.instant }
      progress.cursor = occurrence.instant
      progress.lastWall = occurrence.wall
    }
    if let untold { events.append(.skipped(from: untold.from, to: untold.to)) }
    if let done = progress.doneAhead, done <= progress.cursor { progress.doneAhead = nil }
    guard let newest else { return nil }
    if now - plan.allowed(newest) <= plan.ladder.grace { return newest }
    miss(newest, at: now, &events)
    return nil
  }

  /// The instant up to which everything is too late to be sent, if that is later than the cursor:
  /// quiet hours, which last less than a day, have held nothing older back.
  private func tooLate(_ now: Instant) -> Instant? {
    let held: Duration = plan.isMedicine || plan.quietHours == nil ? .zero : .seconds(86_400)
    let end = now - plan.ladder.grace - held - .milliseconds(1)
    return end > progress.cursor ? end : nil
  }

  private func miss(_ due: Instant, at now: Instant, _ events: inout [LifeEvent]) {
    let allowed = plan.allowed(due)
    let reason: MissedReason =
      now - allowed > plan.ladder.grace
      ? .downtime : allowed > due ? .quietHours : .superseded
    events.append(.missed(key(due, .missed), reason))
  }

  private mutating func send(_ due: Instant, at now: Instant, _ events: inout [LifeEvent]) {
    if let open = progress.open, !open.isMissed {
      events.append(.missed(key(open.due, .missed), .superseded))
    }
    let delay = now - plan.allowed(due)
    let lateBy = delay > Self.punctual ? delay : .zero
    progress.open = OpenOccurrence(due: due, ladderStart: now)
    events.append(.sent(key(due, .notify(round: 0, number: 0)), lateBy: lateBy))
  }

  // MARK: Ladder

  /// When the open occurrence has its next step.
  private var openDue: Instant? {
    guard let open = progress.open else { return nil }
    if let until = open.snoozedUntil { return until }
    let ladder = plan.ladder
    if open.isMissed { return ladder.contactAfter.map { plan.allowed(open.ladderStart + $0) } }
    let missed = open.ladderStart + ladder.missedAfter
    let next = ladder.repeats.dropFirst(open.repeats).lazy
      .map { open.ladderStart + $0 }
      .first { isLoud($0) }
    return next.map { min($0, missed) } ?? missed
  }

  /// Takes the steps of the open occurrence that are due. Of several repeats the last is sent, and
  /// none where the next occurrence follows at once.
  private mutating func climb(to now: Instant, isFollowed: Bool, _ events: inout [LifeEvent]) {
    guard var open = progress.open else { return }
    defer { progress.open = open.isOver(plan.ladder) ? nil : open }
    if let until = open.snoozedUntil {
      guard until <= now, !isFollowed else { return }
      // The ladder begins anew, and late where the platform was down.
      open.snoozedUntil = nil
      open.ladderStart = now
      open.repeats = 0
      events.append(.sentAgain(key(open.due, .notify(round: open.snoozes, number: 0))))
      return
    }
    let waited = now - open.ladderStart
    if !open.isMissed {
      if waited >= plan.ladder.missedAfter {
        open.isMissed = true
        open.repeats = plan.ladder.repeats.count
        events.append(.missed(key(open.due, .missed), .unanswered))
      } else {
        let passed = plan.ladder.repeats.filter { $0 <= waited }.count
        // Quiet hours swallow a repeat; nobody is woken for the second time of asking.
        let isAudible = plan.ladder.repeats.prefix(passed).dropFirst(open.repeats)
          .contains { isLoud(open.ladderStart + $0) }
        if isAudible, !isFollowed, isLoud(now) {
          events.append(.sentAgain(key(open.due, .notify(round: open.snoozes, number: passed))))
        }
        open.repeats = max(open.repeats, passed)
      }
    }
    if open.isMissed, let contact = plan.ladder.contactAfter,
      plan.allowed(open.ladderStart + contact) <= now
    {
      events.append(.contact(key(open.due, .contact)))
      open.isContacted = true
    }
  }

  /// Whether quiet hours do not hold back what would be sent then.
  private func isLoud(_ instant: Instant) -> Bool { plan.allowed(instant) == instant }

  func key(_ due: Instant, _ step: StepKey.Step) -> StepKey {
    StepKey(reminder: plan.reminder, occurrence: due, step: step)
  }
}

// MARK: - Answers

extension ReminderLife {
  /// Its owner did it: the occurrence that was sent or missed, or the next one before it is due.
  ///
  /// To say so twice changes nothing. Of an occurrence that was missed and is not open any more,
  /// whoever keeps the history says so with `wasMissed`.
  /// - Throws: `AnswerError.noSuchOccurrence`.
  public mutating func done(
    _ occurrence: Instant, at now: Instant, wasMissed: Bool = false
  ) throws(AnswerError) -> [LifeEvent] {
    if let open = progress.open, open.due == occurrence {
      progress.open = nil
      return [.done(occurrence: occurrence, isLate: open.isMissed)]
    }
    if wasMissed { return [.done(occurrence: occurrence, isLate: true)] }
    if progress.doneAhead == occurrence { return [] }
    guard nextOccurrences.first(where: { _ in true })?.instant == occurrence else {
      throw .noSuchOccurrence
    }
    progress.doneAhead = occurrence
    return [.done(occurrence: occurrence, isLate: false)]
  }

  /// Its owner wants to be asked again. What was missed comes back; when a later occurrence is sent
  /// first, it is missed for good.
  /// - Throws: `AnswerError`.
  public mutating func snooze(
    _ occurrence: Instant, until: Instant, at now: Instant
  ) throws(AnswerError) -> [LifeEvent] {
    guard until > now, until - now <= .seconds(7 * 86_400) else { throw .snoozeOutOfRange }
    if progress.doneAhead == occurrence { throw .alreadyDone }
    guard var open = progress.open, open.due == occurrence else { throw .noSuchOccurrence }
    if open.snoozedUntil == until { return [] }
    open.snoozedUntil = until
    open.snoozes += 1
    open.isMissed = false
    progress.open = open
    return [.snoozed(occurrence: occurrence, until: until)]
  }
}

// MARK: - Changes

extension ReminderLife {
  /// The same life under a plan that its owner changed: what was open is over, what is due from now
  /// on counts.
  public func rescheduled(to plan: ReminderPlan, at now: Instant) -> ReminderLife {
    ReminderLife(plan: plan, progress: ReminderProgress(cursor: now))
  }

  /// The same life in another zone. What was sent at 8 in New York is not sent again at 8 in Los
  /// Angeles.
  public func moved(to zone: Zone) -> ReminderLife {
    // An elapsed reminder goes on by the clock of the place where it began.
    moved(to: zone, scheduleZone: plan.schedule.policy == .elapsed ? plan.scheduleZone : zone)
  }

  /// The same life with its owner in a zone and the schedule on the walls of one, or with both
  /// under another edition of tzdata.
  public func moved(to zone: Zone, scheduleZone: Zone) -> ReminderLife {
    var moved = plan
    (moved.zone, moved.scheduleZone) = (zone, scheduleZone)
    var life = ReminderLife(plan: moved, progress: progress)
    if plan.schedule.policy == .wall { life.progress.wallsDecided = progress.lastWall }
    return life
  }
}

public import KithTime

/// How far a person has come with their day, their hour and their sentence. Pure: time comes in,
/// decisions come out; what it grants, it grants for trusted time only.
///
///     var state = LockState(profile: profile, zone: zone, at: now)
///     state.advance(to: now, isTrusted: true, zone: zone)
///     try state.unlock(at: now, isTrusted: true)
///     state.decision(on: "com.example.feed", at: now)
public struct LockState: Sendable, Hashable {
  /// What is in effect.
  public var profile: LockProfile
  /// What waits, and since when it may take effect.
  public var pending: LockProfile?
  /// When it takes effect.
  public var pendingDue: Instant?
  /// The day by which the budget is counted.
  public var day: LockDay
  /// When apps with a budget were used.
  public var uses: UseLedger
  /// How often more time was had on this day.
  public var extrasTaken: Int
  /// What was added to this day's budget.
  public var extraTime: Duration
  /// Whether an event has told that this day's budget is used up.
  public var isUsedUpTold: Bool
  /// The begin of the hour whose window was opened last.
  public var lastHour: Instant?
  /// Until when the window is open that was opened last.
  public var openUntil: Instant?
  /// Whether it was opened by the sentence.
  public var isSpoken: Bool
  /// The sentence.
  public var ladder: ChallengeLadder
  /// The emergency passes.
  public var passes: PassBook

  /// The state of a person who begins.
  public init(profile: LockProfile, zone: Zone, debounce: Duration, at now: Instant) {
    self.init(
      profile: profile, pending: nil, pendingDue: nil,
      day: LockDay(of: now, zone: zone, startOfDay: profile.startOfDay),
      uses: UseLedger(debounce: debounce), extrasTaken: 0, extraTime: .zero, isUsedUpTold: false,
      lastHour: nil, openUntil: nil, isSpoken: false, ladder: ChallengeLadder(), passes: PassBook())
  }

  /// A state as it was stored.
  public init(
    profile: LockProfile, pending: LockProfile?, pendingDue: Instant?, day: LockDay,
    uses: UseLedger, extrasTaken: Int, extraTime: Duration, isUsedUpTold: Bool, lastHour: Instant?,
    openUntil: Instant?, isSpoken: Bool, ladder: ChallengeLadder,
    passes: PassBook
  ) {
    self.profile = profile
    self.pending = pending
    self.pendingDue = pendingDue
    self.day = day
    self.uses = uses
    self.extrasTaken = extrasTaken
    self.extraTime = extraTime
    self.isUsedUpTold = isUsedUpTold
    self.lastHour = lastHour
    self.openUntil = openUntil
    self.isSpoken = isSpoken
    self.ladder = ladder
    self.passes = passes
  }

  // MARK: Time

  /// What time brought.
  public enum Happening: Sendable, Hashable {
    /// A window ended at a moment.
    case windowClosed(Instant)
    /// What waited is in effect.
    case changeApplied
    /// The day's budget was used up.
    case budgetUsedUp(CivilDate)
  }

  /// Goes on to a moment. While time is not trusted no window is open, no day begins and nothing
  /// that waits takes effect.
  /// - Parameter zone: the zone of an IANA name; the day's own where it is not known.
  public mutating func advance(
    to now: Instant, isTrusted: Bool, zone: (String) -> Zone?
  ) -> [Happening] {
    var happenings: [Happening] = []
    // How long a machine was off that cannot be trusted is not known: the window may be over.
    if let until = openUntil, now >= until || !isTrusted {
      openUntil = nil
      isSpoken = false
      happenings.append(.windowClosed(min(until, now)))
    }
    if let until = passes.openUntil, now >= until || !isTrusted {
      passes.openUntil = nil
      happenings.append(.windowClosed(min(until, now)))
    }
    if isTrusted, let due = pendingDue, let wanted = pending, now >= due {
      profile = wanted
      (pending, pendingDue) = (nil, nil)
      happenings.append(.changeApplied)
    }
    if isTrusted, now >= day.end {
      day = day.advanced(
        to: now, zone: zone(profile.zone) ?? day.zone, startOfDay: profile.startOfDay)
      (extrasTaken, extraTime, isUsedUpTold) = (0, .zero, false)
      passes.isUsed = false
      uses.forget(before: day.start)
    }
    if !isUsedUpTold, hasBudget, left == .zero {
      isUsedUpTold = true
      happenings.append(.budgetUsedUp(day.date))
    }
    return happenings
  }

  /// When ``advance(to:isTrusted:zone:)`` will have something to tell that nobody asks for; nil for
  /// never.
  public var nextDue: Instant? {
    [openUntil, passes.openUntil, pendingDue].compactMap(\.self).min()
  }

  private var hasBudget: Bool {
    profile.mode == .dailyBudget || profile.apps.contains { $0.mode == .dailyBudget }
  }

  // MARK: The budget

  /// The day's budget with what was added.
  public var budget: Duration { profile.dailyBudget + extraTime }
  /// How much of it is used. While time is not trusted the day goes on beyond its end.
  public var used: Duration {
    uses.used(from: day.start, to: Instant(milliseconds: .max / 2))
  }
  /// How much is left.
  public var left: Duration { max(budget - used, .zero) }

  /// Notes that an app was used. Only the use of an app with a budget counts.
  public mutating func note(_ use: UseLedger.Interval, of app: String) {
    guard profile.mode(of: app) == .dailyBudget else { return }
    uses.add(
      UseLedger.Interval(start: max(use.start, day.start), end: use.end))
  }

  /// Adds to the day's budget, as often as the profile allows.
  public mutating func takeExtra() throws(LockRefusal) {
    guard hasBudget else { throw .noBudget }
    guard extrasTaken < profile.extrasPerDay else { throw .noExtraLeft }
    extrasTaken += 1
    extraTime += profile.extra
    isUsedUpTold = left == .zero
  }

  // MARK: The window

  /// The hour of a moment.
  public func hour(at now: Instant) -> LockHour { LockHour(of: now, in: day.zone) }

  /// Whether the window of a moment's hour was used: no two begin within an hour.
  public func isWindowUsed(at now: Instant) -> Bool {
    guard let lastHour else { return false }
    return hour(at: now).start - lastHour < .seconds(3600)
  }

  /// When a window can be opened next, now included.
  public func nextWindow(at now: Instant) -> Instant {
    let hour = hour(at: now)
    if !isWindowUsed(at: now), !profile.isAnchored || now < hour.start + profile.window {
      return now
    }
    var next = LockHour(of: hour.end, in: day.zone)
    while let lastHour, next.start - lastHour < .seconds(3600) {
      next = LockHour(of: next.end, in: day.zone)
    }
    return next.start
  }

  /// Opens the window of this hour.
  /// - Parameters:
  ///   - isSpoken: whether the sentence was said or typed.
  ///   - isTyped: whether it was typed.
  /// - Returns: until when it is open.
  @discardableResult
  public mutating func unlock(
    at now: Instant, isTrusted: Bool, isSpoken: Bool = false, isTyped: Bool = false
  ) throws(LockRefusal) -> Instant {
    try checkUnlock(at: now, isTrusted: isTrusted, isSpoken: isSpoken)
    let hour = hour(at: now)
    let length = max(profile.window - (isTyped ? profile.typedPenalty : .zero), .seconds(60))
    let from = profile.isAnchored ? hour.start : now
    let until = min(max(from + length, now), hour.end)
    lastHour = hour.start
    openUntil = until
    self.isSpoken = isSpoken
    return until
  }

  /// Whether ``unlock(at:isTrusted:isSpoken:isTyped:)`` would be refused.
  public func checkUnlock(
    at now: Instant, isTrusted: Bool, isSpoken: Bool
  ) throws(LockRefusal) {
    let modes = Set([profile.mode] + profile.apps.compactMap(\.mode))
    guard modes.contains(isSpoken ? .extreme : .hourlyRation) else {
      throw modes.contains(.extreme) && !isSpoken ? .sentenceRequired : .noWindow
    }
    guard isTrusted else { throw .timeNotTrusted }
    guard !isWindowUsed(at: now) else { throw .windowUsed(next: nextWindow(at: now)) }
    if profile.isAnchored, now >= hour(at: now).start + profile.window {
      throw .windowOver(next: nextWindow(at: now))
    }
  }

  // MARK: Passes

  /// Begins an emergency pass, which nothing is opened by yet.
  public mutating func beginPass(_ id: String, at now: Instant, isTrusted: Bool) throws {
    try checkPass(isTrusted: isTrusted)
    try passes.begin(id, at: now, dayEnd: day.end)
  }

  /// Whether an emergency pass may be used now, if its PIN is right.
  public func checkPass(_ id: String, at now: Instant, isTrusted: Bool) throws {
    try checkPass(isTrusted: isTrusted)
    try passes.check(id, at: now, dayEnd: day.end)
  }

  private func checkPass(isTrusted: Bool) throws(LockRefusal) {
    guard !profile.isWithoutPass else { throw .noPass }
    guard isTrusted else { throw .timeNotTrusted }
  }

  // MARK: Decisions

  /// Whether an app may be used.
  public struct Decision: Sendable, Hashable {
    /// Whether it may.
    public var reason: LockReason?
    /// How it is locked.
    public var mode: LockMode
    /// Until when that holds at most; nil where it is not known.
    public var until: Instant?
  }

  /// Whether an app may be used now.
  public func decision(on app: String, at now: Instant) -> Decision {
    decision(on: profile.mode(of: app), at: now)
  }

  /// Whether apps of a mode may be used now.
  public func decision(on mode: LockMode, at now: Instant) -> Decision {
    let decision = decisionWithoutPass(on: mode, at: now)
    guard decision.reason != nil, let until = passes.openUntil, now < until else {
      return decision
    }
    return Decision(reason: nil, mode: mode, until: until)
  }

  private func decisionWithoutPass(on mode: LockMode, at now: Instant) -> Decision {
    switch mode {
    case .alwaysOpen: return Decision(reason: nil, mode: mode, until: nil)
    case .dailyBudget:
      let left = left
      return left > .zero
        ? Decision(reason: nil, mode: mode, until: now + left)
        : Decision(reason: .budgetUsedUp, mode: mode, until: day.end)
    case .hourlyRation, .extreme:
      if let until = openUntil, now < until, isSpoken || mode == .hourlyRation {
        return Decision(reason: nil, mode: mode, until: until)
      }
      let next = nextWindow(at: now)
      let reason: LockReason =
        next > now ? .windowUsed : mode == .extreme ? .sentenceRequired : .windowClosed
      return Decision(reason: reason, mode: mode, until: next > now ? next : nil)
    }
  }
}

public import KithTime

/// The occurrences of a schedule in a zone, ascending by instant, each instant once.
public struct ScheduledOccurrences: Sequence, IteratorProtocol, Sendable {
  /// One of them.
  public struct Element: Sendable, Hashable {
    /// When it is due.
    public let instant: Instant
    /// The time that was asked for; where the clocks skipped it, the wall shows another at the
    /// instant.
    public let wall: CivilDateTime
  }

  private let zone: Zone
  private let after: Instant
  private let until: Instant?
  private let excludedTimes: Set<CivilDateTime>
  private let excludedDays: Set<CivilDate>
  private var walls: Occurrences?
  /// The next one that no gap has shifted.
  private var direct: Element?
  /// Those of a gap: they come after some that the wall shows behind it. Ascending, taken from
  /// `shiftedIndex` on.
  private var shifted: [Element] = []
  private var shiftedIndex = 0
  private var additions: [Element]
  private var additionIndex = 0
  private var pending: Element?
  private var previous: Instant?

  init(_ schedule: Schedule, zone: Zone, after: Instant?) {
    let zone = schedule.policy == .wall ? zone : Self.steady(zone, at: schedule.start)
    self.zone = zone
    self.after = after ?? Instant(milliseconds: .min)
    var days: Set<CivilDate> = []
    var times: Set<CivilDateTime> = []
    for exclusion in schedule.exclusions {
      switch exclusion {
      case .day(let day): days.insert(day)
      case .time(let time): times.insert(time)
      }
    }
    excludedDays = days
    excludedTimes = times
    var additions = schedule.additions
    if schedule.rule == nil { additions.append(schedule.start) }
    self.additions =
      additions
      .map { Element(instant: zone.instant(of: $0), wall: $0) }
      .sorted { ($0.instant, $0.wall) < ($1.instant, $1.wall) }
    until = schedule.rule.flatMap { Self.until($0, zone) }
    walls = schedule.rule.map { rule in
      // Two days early: no gap is longer, so that what was asked for before it and is due after it
      // is met.
      let from = after.map { zone.civil(at: $0).adding(seconds: -2 * 86_400) }
      var last: CivilDateTime?
      if case .until(.utc(let utc)) = rule.end { last = utc.adding(seconds: 2 * 86_400) }
      return Occurrences(rule, start: schedule.start, from: from, last: last)
    }
  }

  /// The next one; nil after the last.
  public mutating func next() -> Element? {
    while let element = nextOfAll() {
      if element.instant <= after || previous.map({ element.instant <= $0 }) == true { continue }
      if excludedTimes.contains(element.wall) || excludedDays.contains(element.wall.date) {
        continue
      }
      previous = element.instant
      return element
    }
    return nil
  }

  /// The earliest of what the rule gives and what was added.
  private mutating func nextOfAll() -> Element? {
    if pending == nil { pending = nextOfRule() }
    guard additionIndex < additions.count else {
      defer { pending = nil }
      return pending
    }
    if let rule = pending, rule.instant <= additions[additionIndex].instant {
      pending = nil
      return rule
    }
    defer { additionIndex += 1 }
    return additions[additionIndex]
  }

  /// The earliest that the rule gives: of what the wall shows next, and what a gap has shifted
  /// behind it.
  private mutating func nextOfRule() -> Element? {
    while direct == nil, let wall = walls?.next() {
      let resolved = zone.resolve(wall)
      let element = Element(instant: resolved.instant, wall: wall)
      if case .skipped = resolved {
        if until.map({ element.instant <= $0 }) ?? true { shifted.append(element) }
      } else if let until, element.instant > until {
        walls = nil
      } else {
        direct = element
      }
    }
    if shiftedIndex < shifted.count,
      direct.map({ shifted[shiftedIndex].instant <= $0.instant }) ?? true
    {
      shiftedIndex += 1
      return shifted[shiftedIndex - 1]
    }
    if shiftedIndex > 0, shiftedIndex == shifted.count {
      shifted.removeAll(keepingCapacity: true)
      shiftedIndex = 0
    }
    defer { direct = nil }
    return direct
  }

  private static func steady(_ zone: Zone, at start: CivilDateTime) -> Zone {
    .fixed(offset: zone.offset(at: zone.instant(of: start)), name: zone.name)
  }

  private static func until(_ rule: RecurrenceRule, _ zone: Zone) -> Instant? {
    guard case .until(.utc(let utc)) = rule.end else { return nil }
    return Instant(seconds: utc.wallSeconds)
  }
}

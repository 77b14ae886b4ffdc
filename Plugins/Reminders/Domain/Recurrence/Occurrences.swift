public import KithTime

/// What a rule gives on the wall, ascending, each time once; made as it is asked for.
///
/// A rule that never matches ends after bounded work: 400 years of its periods, or 400,000 steps of
/// a rule shorter than a day, some milliseconds and never a second; every rule ends with the year
/// 9999. To begin late costs nothing, except for a rule with `COUNT`: its periods must be counted
/// from the start, each in constant time.
public struct Occurrences: Sequence, IteratorProtocol, Sendable {
  private enum Source: Sendable {
    case long(LongPeriods)
    case short(ShortPeriods)

    mutating func next() -> Period? {
      switch self {
      case .long(var periods):
        defer { self = .long(periods) }
        return periods.next()
      case .short(var periods):
        defer { self = .short(periods) }
        return periods.next()
      }
    }
  }

  private var source: Source
  private let start: Int
  private let from: Int
  private let last: Int
  private var remaining: Int
  private var period = Period()
  private var index = 0
  private var previous = Int.min

  /// The occurrences of a rule.
  /// - Parameters:
  ///   - start: `DTSTART`; nothing is before it, and it gives what the rule leaves open. It is an
  ///     occurrence only where the
  ///     rule says so.
  ///   - from: the first time that is of interest; nil for all. What is before it counts for
  ///     `COUNT`.
  ///   - last: the last time that may be one; nil for what the rule's own `UNTIL` says, one in UTC
  ///     taken as if the wall were
  ///     in UTC.
  public init(
    _ rule: RecurrenceRule, start: CivilDateTime, from: CivilDateTime? = nil,
    last: CivilDateTime? = nil
  ) {
    self.start = start.wallSeconds
    let from = Swift.max(start, from ?? start)
    self.from = from.wallSeconds
    self.last = last?.wallSeconds ?? rule.end.lastWallSeconds
    var begin = from
    remaining = .max
    if case .count(let count) = rule.end {
      remaining = count
      begin = start
    }
    source =
      rule.frequency >= .daily
      ? .long(LongPeriods(rule, start: start, from: begin))
      : .short(ShortPeriods(rule, start: start, from: begin))
  }

  /// The next time on the wall; nil after the last one.
  public mutating func next() -> CivilDateTime? {
    while remaining > 0 {
      if index == period.count {
        guard nextPeriod() else { return nil }
        continue
      }
      let wall = period[index]
      index += 1
      if wall <= previous { continue }
      if wall > last { break }
      previous = wall
      remaining -= 1
      return CivilDateTime(wallSeconds: wall)
    }
    remaining = 0
    return nil
  }

  /// Goes to the next period, at its first occurrence from the time of interest on.
  private mutating func nextPeriod() -> Bool {
    guard let next = source.next() else {
      remaining = 0
      return false
    }
    period = next
    index = period.firstIndex(notBefore: Swift.max(start, previous == .min ? start : previous + 1))
    let wanted = period.firstIndex(notBefore: from)
    if wanted > index {
      let passed = wanted - index
      remaining = remaining > passed ? remaining - passed : 0
      previous = period[wanted - 1]
      index = wanted
    }
    return true
  }
}

extension RecurrenceRule.End {
  fileprivate var lastWallSeconds: Int {
    switch self {
    case .until(.date(let date)): date.dayNumber * 86_400 + 86_399
    case .until(.local(let local)), .until(.utc(let local)): local.wallSeconds
    case .never, .count: .max
    }
  }
}

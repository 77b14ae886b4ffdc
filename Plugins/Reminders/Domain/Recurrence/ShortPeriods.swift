import KithTime

/// The periods of an hourly, minutely or secondly rule: steps of so many seconds on the wall, from
/// which the `BY` parts leave some. What cannot match is stepped over by the second, minute, hour
/// or day, never one by one.
struct ShortPeriods: Sendable {
  private let rule: RecurrenceRule
  private let filter: DayFilter
  /// The first period, in wall seconds, and how far apart they are.
  private let base: Int
  private let step: Int
  /// What each period holds, but for its own day, hour, minute and second: all have as many
  /// occurrences.
  private let pattern: Period
  private let hours: UInt64
  private let minutes: UInt64
  private let seconds: UInt64
  /// How many steps after the base.
  private var index: Int

  init(_ rule: RecurrenceRule, start: CivilDateTime, from: CivilDateTime) {
    self.rule = rule
    filter = DayFilter(rule, start: start.date)
    let unit = rule.frequency == .hourly ? 3600 : rule.frequency == .minutely ? 60 : 1
    base = floorDivide(start.wallSeconds, unit) * unit
    step = rule.interval * unit
    func mask(_ numbers: [Int]) -> UInt64 {
      numbers.isEmpty ? .max : numbers.reduce(0) { $0 | 1 << UInt64($1) }
    }
    hours = mask(rule.hours)
    minutes = rule.frequency <= .minutely ? mask(rule.minutes) : .max
    seconds = rule.frequency == .secondly ? mask(rule.seconds) : .max
    index = max(0, floorDivide(from.wallSeconds - base, step))
    var pattern = Period(days: [0], hours: [0], minutes: [0], seconds: [0])
    if rule.frequency == .hourly {
      pattern.minutes = rule.minutes.isEmpty ? [start.time.minute] : rule.minutes.sorted()
    }
    if rule.frequency >= .minutely {
      pattern.seconds =
        rule.seconds.isEmpty ? [start.time.second] : rule.seconds.filter { $0 < 60 }.sorted()
    }
    pattern.keep(positions: rule.setPositions)
    self.pattern = pattern
  }

  /// How many steps in succession may fail to match. A step is at most as near as the next hour
  /// that may match, mostly a day or more, so that rules of this many steps without an occurrence
  /// are those that never match.
  private static let barrenSteps = 400_000

  /// The next period that has an occurrence; nil when none was found or the year 9999 has passed.
  mutating func next() -> Period? {
    if pattern.count == 0 { return nil }
    for tried in 0..<Self.barrenSteps {
      if tried == 1000, !meetsItsTimes { return nil }
      let wall = base + index * step
      let day = floorDivide(wall, 86_400)
      if day > LongPeriods.lastDay { return nil }
      if let later = nextCandidate(after: wall, day: day) {
        index = max(index + 1, (later - base + step - 1) / step)
        continue
      }
      index += 1
      return period(at: wall, day: day)
    }
    return nil
  }

  /// Whether the steps ever meet a time of the day that the rule allows: every 24 hours from 9 on,
  /// 3 is never met.
  private var meetsItsTimes: Bool {
    var (divisor, rest) = (86_400, step % 86_400)
    while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
    let first = base - floorDivide(base, divisor) * divisor
    return stride(from: first, to: 86_400, by: divisor).contains { second in
      Self.has(hours, second / 3600) && Self.has(minutes, second / 60 % 60)
        && Self.has(seconds, second % 60)
    }
  }

  private static func has(_ mask: UInt64, _ number: Int) -> Bool {
    mask & 1 << UInt64(number) != 0
  }

  /// The earliest second after a period that does not match which may; nil where the period
  /// matches.
  private func nextCandidate(after wall: Int, day: Int) -> Int? {
    guard filter.allows(CivilDate(dayNumber: day)) else { return nextDay(after: day) * 86_400 }
    let second = wall - day * 86_400
    if !Self.has(hours, second / 3600) {
      return day * 86_400 + Self.next(in: hours, after: second / 3600, of: 24) * 3600
    }
    if !Self.has(minutes, second / 60 % 60) {
      let hour = wall - second % 3600
      return hour + Self.next(in: minutes, after: second / 60 % 60, of: 60) * 60
    }
    if !Self.has(seconds, second % 60) {
      return wall - second % 60 + Self.next(in: seconds, after: second % 60, of: 60)
    }
    return nil
  }

  /// The next day that matches; beyond the last year where none does within the 400 years after
  /// which the calendar repeats.
  private func nextDay(after day: Int) -> Int {
    for next in (day + 1)...(day + 146_097) where filter.allows(CivilDate(dayNumber: next)) {
      return next
    }
    return LongPeriods.lastDay + 1
  }

  /// The next number of a mask, or the size of the clock's part: its next turn.
  private static func next(in mask: UInt64, after number: Int, of size: Int) -> Int {
    let rest = number >= 63 ? 0 : mask >> UInt64(number + 1)
    return rest == 0 ? size : min(size, number + 1 + rest.trailingZeroBitCount)
  }

  /// The occurrences within a period that matches: the minutes of an hour, the seconds of a minute.
  private func period(at wall: Int, day: Int) -> Period {
    let second = wall - day * 86_400
    var period = pattern
    period.days[0] = day
    period.hours[0] = second / 3600
    if rule.frequency <= .minutely { period.minutes[0] = second / 60 % 60 }
    if rule.frequency == .secondly { period.seconds[0] = second % 60 }
    return period
  }
}

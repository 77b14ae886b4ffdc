import KithTime

/// The periods of a daily, weekly, monthly or yearly rule, one after another.
struct LongPeriods: Sendable {
  private let rule: RecurrenceRule
  private let filter: DayFilter
  private let start: CivilDate
  private let hours: [Int]
  private let minutes: [Int]
  private let seconds: [Int]
  /// How many periods after the first.
  private var index: Int

  init(_ rule: RecurrenceRule, start: CivilDateTime, from: CivilDateTime) {
    self.rule = rule
    self.start = start.date
    filter = DayFilter(rule, start: start.date)
    hours = rule.hours.isEmpty ? [start.time.hour] : rule.hours.sorted()
    minutes = rule.minutes.isEmpty ? [start.time.minute] : rule.minutes.sorted()
    seconds =
      rule.seconds.isEmpty ? [start.time.second] : rule.seconds.filter { $0 < 60 }.sorted()
    // One period early: SKIP=FORWARD puts a day into the month after its own.
    let passed = Self.periods(rule.frequency, from: self.start, to: from.date, rule.weekStart)
    index = max(0, floorDivide(passed, rule.interval) - 1)
  }

  /// After so many periods without an occurrence there never is one: the calendar, weekdays
  /// included, repeats after 400 years, and by then any interval has met every place of it that it
  /// ever meets.
  private var cycle: Int {
    switch rule.frequency {
    case .yearly: 400
    case .monthly: 4800
    case .weekly: 20_871
    default: 146_097
    }
  }

  /// The next period that has an occurrence; nil when there is none, or the year 9999 has passed.
  mutating func next() -> Period? {
    if seconds.isEmpty { return nil }
    for _ in 0...cycle {
      let days = self.days(of: index)
      index += 1
      guard let days else { return nil }
      if days.isEmpty { continue }
      var period = Period(days: days, hours: hours, minutes: minutes, seconds: seconds)
      period.keep(positions: rule.setPositions)
      if period.count > 0 { return period }
    }
    return nil
  }

  private static func periods(
    _ frequency: RecurrenceRule.Frequency, from start: CivilDate, to end: CivilDate,
    _ weekStart: Weekday
  ) -> Int {
    switch frequency {
    case .yearly: end.year - start.year
    case .monthly: (end.year - start.year) * 12 + end.month - start.month
    case .weekly:
      (end.dayNumber - (start.dayNumber - start.weekday.days(after: weekStart))) / 7
    default: end.dayNumber - start.dayNumber
    }
  }

  /// The days of a period, ascending; nil beyond the year 9999, which iCalendar cannot write.
  private func days(of index: Int) -> [Int]? {
    let (offset, overflow) = index.multipliedReportingOverflow(by: rule.interval)
    if overflow || offset > 4_000_000 { return nil }
    switch rule.frequency {
    case .yearly:
      let year = start.year + offset
      return year > 9999 ? nil : (1...12).flatMap { days(inMonth: $0, of: year) }
    case .monthly:
      let month = start.year * 12 + start.month - 1 + offset
      return month >= 120_000 ? nil : days(inMonth: month % 12 + 1, of: month / 12)
    case .weekly:
      let first = start.dayNumber - start.weekday.days(after: rule.weekStart) + offset * 7
      return first > Self.lastDay ? nil : (first..<first + 7).filter(allows)
    default:
      let day = start.dayNumber + offset
      return day > Self.lastDay ? nil : (allows(day) ? [day] : [])
    }
  }

  /// 9999-12-31.
  static let lastDay = 2_932_896

  private func allows(_ dayNumber: Int) -> Bool { filter.allows(CivilDate(dayNumber: dayNumber)) }

  private func days(inMonth month: Int, of year: Int) -> [Int] {
    guard filter.allows(month: month), let first = CivilDate(year: year, month: month, day: 1)
    else { return [] }
    let length = CivilDate.days(inMonth: month, of: year)
    var days = (0..<length).map { first.dayNumber + $0 }.filter(allows)
    if rule.skip != .omit, let moved = movedDay(from: first, length: length),
      !days.contains(moved)
    {
      days.append(moved)
    }
    return days
  }

  /// Where `SKIP` puts the days that this month lacks (RFC 7529, 4.1); days counted from the end
  /// are never moved.
  private func movedDay(from first: CivilDate, length: Int) -> Int? {
    guard length < 31, filter.monthDays.fromStart >> UInt32(length + 1) != 0 else { return nil }
    let day = first.adding(days: rule.skip == .backward ? length - 1 : length)
    return filter.allowsApartFromMonthDay(day) ? day.dayNumber : nil
  }
}

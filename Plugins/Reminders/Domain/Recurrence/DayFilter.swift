import KithTime

/// The parts of a rule that say which days, as masks: asked once for each day of a period.
struct DayFilter: Sendable {
  /// Bit m for month m; none for every month.
  let months: UInt16
  /// Bit d for the day d from the start of the month, and from its end.
  let monthDays: (fromStart: UInt32, fromEnd: UInt32)
  /// From the start and the end of the year, ascending.
  let yearDays: [Int]
  /// From the start (bit n) and the end of the year of weeks.
  let weekNumbers: (fromStart: UInt64, fromEnd: UInt64)
  let weekStart: Weekday
  /// Bit n for the weekday n of ISO 8601.
  let weekdays: UInt8
  let numberedWeekdays: [(weekday: Int, number: Int)]
  /// Whether the numbers of weekdays count in the month or in the year.
  let countsInMonth: Bool

  /// The days of a rule; what it does not say, its start does (RFC 5545, 3.3.10: "information
  /// missing from the rule").
  init(_ rule: RecurrenceRule, start: CivilDate) {
    let saysDays =
      !(rule.weekNumbers.isEmpty && rule.yearDays.isEmpty && rule.monthDays.isEmpty
      && rule.weekdays.isEmpty)
    var months = rule.months
    var monthDays = rule.monthDays
    var weekdays = rule.weekdays
    if !saysDays {
      switch rule.frequency {
      case .yearly:
        if months.isEmpty { months = [start.month] }
        monthDays = [start.day]
      case .monthly: monthDays = [start.day]
      case .weekly: weekdays = [RecurrenceRule.WeekdayNumber(start.weekday)]
      default: break
      }
    }
    self.months = months.reduce(0) { $0 | 1 << UInt16($1) }
    self.monthDays = (
      Self.mask(monthDays.filter { $0 > 0 }), Self.mask(monthDays.filter { $0 < 0 })
    )
    yearDays = rule.yearDays.sorted()
    weekNumbers = (
      Self.mask(rule.weekNumbers.filter { $0 > 0 }), Self.mask(rule.weekNumbers.filter { $0 < 0 })
    )
    weekStart = rule.weekStart
    let numbersCount = rule.frequency >= .monthly
    var plain: UInt8 = 0
    var numbered: [(Int, Int)] = []
    for day in weekdays {
      if let number = day.number, numbersCount {
        numbered.append((day.weekday.rawValue, number))
      } else {
        plain |= 1 << UInt8(day.weekday.rawValue)
      }
    }
    self.weekdays = plain
    numberedWeekdays = numbered
    countsInMonth = rule.frequency == .monthly || !rule.months.isEmpty
  }

  private static func mask<Bits: FixedWidthInteger>(_ numbers: [Int]) -> Bits {
    numbers.reduce(0) { $0 | 1 << Bits(abs($1)) }
  }

  func allows(month: Int) -> Bool { months == 0 || months & 1 << UInt16(month) != 0 }

  func allows(_ date: CivilDate) -> Bool {
    allows(month: date.month) && allowsMonthDay(date) && allowsApartFromMonthDay(date)
  }

  /// All but `BYMONTH` and `BYMONTHDAY`, which `SKIP` changes.
  func allowsApartFromMonthDay(_ date: CivilDate) -> Bool {
    allowsWeekday(date) && allowsYearDay(date) && allowsWeekNumber(date)
  }

  private func allowsMonthDay(_ date: CivilDate) -> Bool {
    if monthDays.fromStart == 0 && monthDays.fromEnd == 0 { return true }
    if monthDays.fromStart & 1 << UInt32(date.day) != 0 { return true }
    let fromEnd = CivilDate.days(inMonth: date.month, of: date.year) - date.day + 1
    return monthDays.fromEnd & 1 << UInt32(fromEnd) != 0
  }

  private func allowsWeekday(_ date: CivilDate) -> Bool {
    if weekdays == 0 && numberedWeekdays.isEmpty { return true }
    let weekday = date.weekday.rawValue
    if weekdays & 1 << UInt8(weekday) != 0 { return true }
    guard numberedWeekdays.contains(where: { $0.weekday == weekday }) else { return false }
    let day = countsInMonth ? date.day : date.dayOfYear
    let length =
      countsInMonth
      ? CivilDate.days(inMonth: date.month, of: date.year) : CivilDate.days(inYear: date.year)
    let fromStart = (day - 1) / 7 + 1
    let fromEnd = -((length - day) / 7 + 1)
    return numberedWeekdays.contains {
      $0.weekday == weekday && ($0.number == fromStart || $0.number == fromEnd)
    }
  }

  private func allowsYearDay(_ date: CivilDate) -> Bool {
    if yearDays.isEmpty { return true }
    let day = date.dayOfYear
    return yearDays.contains { $0 == day || $0 == day - CivilDate.days(inYear: date.year) - 1 }
  }

  /// Weeks are those of ISO 8601 with another first day: week 1 has at least four days of the year.
  private func allowsWeekNumber(_ date: CivilDate) -> Bool {
    if weekNumbers.fromStart == 0 && weekNumbers.fromEnd == 0 { return true }
    let day = date.dayNumber
    var year = date.year
    if day < Self.firstWeek(of: year, weekStart) {
      year -= 1
    } else if day >= Self.firstWeek(of: year + 1, weekStart) {
      year += 1
    }
    let first = Self.firstWeek(of: year, weekStart)
    let number = (day - first) / 7 + 1
    let count = (Self.firstWeek(of: year + 1, weekStart) - first) / 7
    return weekNumbers.fromStart & 1 << UInt64(number) != 0
      || weekNumbers.fromEnd & 1 << UInt64(count - number + 1) != 0
  }

  /// The day number on which week 1 of a year begins: that of the week with 4 January in it.
  static func firstWeek(of year: Int, _ weekStart: Weekday) -> Int {
    let fourth = (CivilDate(year: year, month: 1, day: 1)?.dayNumber ?? 0) + 3
    return fourth - CivilDate.weekday(ofDayNumber: fourth).days(after: weekStart)
  }
}

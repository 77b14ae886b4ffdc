/// A date of the proleptic Gregorian calendar, with no zone and no time of day.
public struct CivilDate: Sendable, Hashable {
  /// The year; 0 is 1 BC, as in ISO 8601.
  public var year: Int { Int(storedYear) }
  /// 1 to 12.
  public var month: Int { Int(storedMonth) }
  /// 1 to 31.
  public var day: Int { Int(storedDay) }

  // Eight bytes, not twenty-four: dates are copied more than they are made.
  private let storedYear: Int32
  private let storedMonth: Int8
  private let storedDay: Int8

  /// The date of these numbers, or nil where the calendar has none (30 February).
  public init?(year: Int, month: Int, day: Int) {
    guard Self.years.contains(year), (1...12).contains(month),
      (1...Self.days(inMonth: month, of: year)).contains(day)
    else { return nil }
    self.init(unchecked: year, month, day)
  }

  private init(unchecked year: Int, _ month: Int, _ day: Int) {
    storedYear = Int32(year)
    storedMonth = Int8(month)
    storedDay = Int8(day)
  }

  /// The years that dates are made for; wide enough for every instant of a calendar file, far from
  /// overflow.
  public static let years = -999_999...999_999

  // MARK: Day numbers

  /// Days since 1970-01-01; earlier days are negative.
  ///
  /// The arithmetic is Howard Hinnant's `days_from_civil`: years from March, so that the leap day
  /// comes last, in eras of 400 years (146,097 days).
  public var dayNumber: Int {
    let shifted = month > 2 ? year : year - 1
    let era = floorDivide(shifted, 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// The date of a day number; one beyond `years` is the first or last date.
  public init(dayNumber: Int) {
    let bounded = min(max(dayNumber, -365_961_662), 364_522_971)
    let days = bounded + 719_468
    let era = floorDivide(days, 146_097)
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    self.init(
      unchecked: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
      dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  // MARK: The calendar

  /// Whether a year has a 29 February.
  public static func isLeap(_ year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  /// 28 to 31. `month` is 1 to 12.
  public static func days(inMonth month: Int, of year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// 365 or 366.
  public static func days(inYear year: Int) -> Int { isLeap(year) ? 366 : 365 }

  /// The day of the week.
  public var weekday: Weekday { Self.weekday(ofDayNumber: dayNumber) }

  /// The day of the week of a day number; day 0 was a Thursday.
  public static func weekday(ofDayNumber number: Int) -> Weekday {
    let fromMonday = (number + 3) % 7
    return Weekday.allCases[fromMonday < 0 ? fromMonday + 7 : fromMonday]
  }

  /// The day of the year from 1.
  public var dayOfYear: Int {
    let before = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334][month - 1]
    return before + day + (month > 2 && Self.isLeap(year) ? 1 : 0)
  }

  // MARK: Arithmetic

  /// The date so many days later.
  public func adding(days: Int) -> CivilDate {
    CivilDate(dayNumber: dayNumber + min(max(days, -1_000_000_000), 1_000_000_000))
  }

  /// The date so many months later; a day that the month lacks becomes its last (31 January and one
  /// month: 28 or 29 February). Beyond `years` it is the first or last year.
  public func adding(months: Int) -> CivilDate {
    let index = year * 12 + month - 1 + min(max(months, -24_000_000), 24_000_000)
    let wanted = min(max(floorDivide(index, 12), Self.years.lowerBound), Self.years.upperBound)
    let wantedMonth = index - floorDivide(index, 12) * 12 + 1
    return CivilDate(
      unchecked: wanted, wantedMonth, min(day, Self.days(inMonth: wantedMonth, of: wanted)))
  }

  /// The first day at or after this one that is this day of the week.
  public func onOrAfter(_ weekday: Weekday) -> CivilDate {
    adding(days: weekday.days(after: self.weekday))
  }

  /// The date with this time of day.
  public func at(_ time: CivilTime) -> CivilDateTime { CivilDateTime(date: self, time: time) }
}

extension CivilDate: Comparable {
  /// The order of the calendar.
  public static func < (left: CivilDate, right: CivilDate) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }
}

extension CivilDate: CustomStringConvertible {
  /// As in ISO 8601: 2026-03-08.
  public var description: String {
    "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
  }
}

/// Division that rounds down, also below zero. `divisor` is positive.
@inlinable
package func floorDivide(_ dividend: Int, _ divisor: Int) -> Int {
  dividend >= 0 ? dividend / divisor : -((divisor - 1 - dividend) / divisor)
}

/// A number in at least so many digits.
package func padded(_ number: Int, _ digits: Int) -> String {
  let text = String(number.magnitude)
  return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, digits - text.count)) + text
}

public import KithTime

/// A recurrence rule: RFC 5545, 3.3.10, all parts, and `SKIP` of RFC 7529.
///
/// A list that is empty stands for a part that the rule has not. Parts that the RFC forbids
/// together (`BYWEEKNO` in a monthly rule, a numbered weekday in a daily one) limit what the others
/// give, as the libraries in use do, and the number of such a weekday counts for nothing.
public struct RecurrenceRule: Sendable, Hashable {
  /// `FREQ`, from the shortest to the longest.
  public enum Frequency: Int, Sendable, Hashable, CaseIterable, Comparable {
    case secondly, minutely, hourly, daily, weekly, monthly, yearly

    /// Whether one is shorter than the other.
    public static func < (left: Frequency, right: Frequency) -> Bool {
      left.rawValue < right.rawValue
    }
  }

  /// When it ends.
  public enum End: Sendable, Hashable {
    case never
    /// `COUNT`: after so many occurrences, the first included. Dates that do not exist are not
    /// counted.
    case count(Int)
    /// `UNTIL`: the last moment that may be one.
    case until(Until)
  }

  /// The three forms of `UNTIL`.
  public enum Until: Sendable, Hashable {
    /// To the end of a day on the wall.
    case date(CivilDate)
    /// A time on the wall.
    case local(CivilDateTime)
    /// A time in UTC: the form for reminders with a zone.
    case utc(CivilDateTime)
  }

  /// An item of `BYDAY`: a weekday, or the nth of its month or year (-1 is the last).
  public struct WeekdayNumber: Sendable, Hashable {
    /// The day of the week.
    public var weekday: Weekday
    /// Which one, -53 to 53, never 0; nil is every one.
    public var number: Int?

    /// A weekday, or the nth of them.
    public init(_ weekday: Weekday, number: Int? = nil) {
      self.weekday = weekday
      self.number = number
    }
  }

  /// `SKIP` of RFC 7529: what becomes of the day 31 in a month of 30.
  public enum Skip: Sendable, Hashable {
    /// It is left out, and not counted.
    case omit
    /// The last day of the month.
    case backward
    /// The first day of the next month.
    case forward
  }

  /// `FREQ`.
  public var frequency: Frequency
  /// `INTERVAL`: every so many periods; 1 or more.
  public var interval: Int
  /// `COUNT` or `UNTIL`.
  public var end: End
  /// `BYSECOND`, 0 to 60; 60 is a leap second, which no clock here shows.
  public var seconds: [Int] = []
  /// `BYMINUTE`, 0 to 59.
  public var minutes: [Int] = []
  /// `BYHOUR`, 0 to 23.
  public var hours: [Int] = []
  /// `BYDAY`.
  public var weekdays: [WeekdayNumber] = []
  /// `BYMONTHDAY`, -31 to 31, never 0.
  public var monthDays: [Int] = []
  /// `BYYEARDAY`, -366 to 366, never 0.
  public var yearDays: [Int] = []
  /// `BYWEEKNO`, -53 to 53, never 0.
  public var weekNumbers: [Int] = []
  /// `BYMONTH`, 1 to 12.
  public var months: [Int] = []
  /// `BYSETPOS`, -366 to 366, never 0: which of a period's occurrences.
  public var setPositions: [Int] = []
  /// `WKST`.
  public var weekStart: Weekday = .monday
  /// `SKIP`.
  public var skip: Skip = .omit

  /// Every `interval` periods; the other parts are set one by one.
  public init(_ frequency: Frequency, interval: Int = 1, end: End = .never) {
    self.frequency = frequency
    self.interval = interval
    self.end = end
  }
}

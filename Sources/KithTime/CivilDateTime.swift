/// What calendar and clock on a wall show: a date and a time of day, with no zone.
public struct CivilDateTime: Sendable, Hashable {
  /// The calendar.
  public let date: CivilDate
  /// The clock.
  public let time: CivilTime

  /// A date at a time of day.
  public init(date: CivilDate, time: CivilTime) {
    self.date = date
    self.time = time
  }

  /// Seconds since 1970-01-01T00:00:00 on the same wall: the instant's seconds where the offset
  /// from UTC is none.
  public var wallSeconds: Int { date.dayNumber * 86_400 + time.secondOfDay }

  /// What a wall shows so many seconds after 1970-01-01T00:00:00 on it.
  public init(wallSeconds: Int) {
    date = CivilDate(dayNumber: floorDivide(wallSeconds, 86_400))
    time = CivilTime(secondOfDay: wallSeconds)
  }

  /// What the wall shows so many seconds later, where no offset changes.
  public func adding(seconds: Int) -> CivilDateTime {
    CivilDateTime(wallSeconds: wallSeconds + seconds)
  }
}

extension CivilDateTime: Comparable {
  /// The order on one wall.
  public static func < (left: CivilDateTime, right: CivilDateTime) -> Bool {
    (left.date, left.time) < (right.date, right.time)
  }
}

extension CivilDateTime: CustomStringConvertible {
  /// As in ISO 8601: 2026-03-08T02:30:00.
  public var description: String { "\(date)T\(time)" }
}

public import KithTime

/// A day by which a budget is counted: from a time of day in a pinned zone to the next one.
public struct LockDay: Sendable, Hashable {
  /// From one day to the next there are so many hours at least, whatever zone or start of day was
  /// set meanwhile: no budget twice around a midnight.
  public static let shortest = Duration.seconds(20 * 3600)

  /// The date on which it begins.
  public let date: CivilDate
  /// The zone by which it and its hours are counted.
  public let zone: Zone
  /// Its first moment.
  public let start: Instant
  /// The first moment of the next day.
  public let end: Instant

  /// A day as it was stored.
  public init(date: CivilDate, zone: Zone, start: Instant, end: Instant) {
    self.date = date
    self.zone = zone
    self.start = start
    self.end = end
  }

  /// The first day of all: the one of a moment.
  public init(of instant: Instant, zone: Zone, startOfDay: CivilTime) {
    let wall = zone.civil(at: instant)
    var date = wall.date
    if zone.instant(of: date.at(startOfDay)) > instant { date = date.adding(days: -1) }
    let start = zone.instant(of: date.at(startOfDay))
    self.init(
      date: date, zone: zone, start: start,
      end: Self.boundary(after: start, zone: zone, startOfDay: startOfDay))
  }

  /// The day of a moment, as this one goes over into it. The zone and the start of day count from
  /// the end of this day on.
  public func advanced(
    to instant: Instant, zone: Zone, startOfDay: CivilTime
  ) -> LockDay {
    guard instant >= end else { return self }
    var day = LockDay(start: end, zone: zone, startOfDay: startOfDay)
    if instant - day.end > .seconds(3 * 86_400) {
      // Days in which nothing happened need not be gone through.
      day = LockDay(of: instant, zone: zone, startOfDay: startOfDay)
    }
    while instant >= day.end {
      day = LockDay(start: day.end, zone: zone, startOfDay: startOfDay)
    }
    return day
  }

  private init(start: Instant, zone: Zone, startOfDay: CivilTime) {
    self.init(
      date: zone.civil(at: start).date, zone: zone, start: start,
      end: Self.boundary(after: start, zone: zone, startOfDay: startOfDay))
  }

  private static func boundary(
    after start: Instant, zone: Zone, startOfDay: CivilTime
  ) -> Instant {
    var date = zone.civil(at: start).date
    while true {
      let boundary = zone.instant(of: date.at(startOfDay))
      if boundary - start >= shortest { return boundary }
      date = date.adding(days: 1)
    }
  }
}

public import KithTime

/// The hours in which nobody is disturbed, except for a medicine.
public struct QuietHours: Sendable, Hashable {
  /// The first moment of them, on the wall.
  public var from: CivilTime
  /// The first moment after them; earlier than `from` where they go over midnight.
  public var to: CivilTime

  /// From 22:00 to 07:00 unless told; no hours where both are the same.
  public init(
    from: CivilTime = CivilTime(secondOfDay: 22 * 3600),
    to: CivilTime = CivilTime(secondOfDay: 7 * 3600)
  ) {
    self.from = from
    self.to = to
  }

  /// The end of the quiet hours that an instant is in; nil where it is in none.
  func end(after instant: Instant, in zone: Zone) -> Instant? {
    let wall = zone.civil(at: instant)
    let isOverMidnight = to < from
    let isQuiet =
      isOverMidnight ? wall.time >= from || wall.time < to : from <= wall.time && wall.time < to
    guard isQuiet else { return nil }
    let day = isOverMidnight && wall.time >= from ? wall.date.adding(days: 1) : wall.date
    let end = zone.instant(of: day.at(to))
    // Clocks that are put back within them show the end twice.
    return end > instant ? end : nil
  }
}

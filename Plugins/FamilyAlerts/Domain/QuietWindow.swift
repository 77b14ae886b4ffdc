public import KithTime

/// Hours of a wall in which a contact is reached only for safety.
public struct QuietWindow: Sendable, Hashable {
  /// The first moment of them.
  public let from: CivilTime
  /// The first moment after them; on the next day where it is earlier than `from`.
  public let to: CivilTime
  /// Whose wall it is.
  public let zone: Zone

  /// Quiet hours; none where both times are the same.
  public init(from: CivilTime, to: CivilTime, zone: Zone) {
    self.from = from
    self.to = to
    self.zone = zone
  }

  /// The end of the quiet hours that contain an instant; nil outside of them.
  public func end(after instant: Instant) -> Instant? {
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

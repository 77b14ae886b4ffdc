public import KithTime

/// The day of a daily quota: from midnight to midnight in a pinned zone, and never two resets
/// within 20 hours, whatever zones somebody travels through.
public struct QuotaWindow: Sendable, Hashable {
  /// The least time between two resets.
  public static let least = Duration.seconds(20 * 3600)

  /// The zone whose midnight ends it, by name.
  public private(set) var zone: String
  /// When it ends.
  public private(set) var resetsAt: Instant

  /// As it was kept.
  public init(zone: String, resetsAt: Instant) { (self.zone, self.resetsAt) = (zone, resetsAt) }

  /// The first window of somebody: until the next midnight.
  public init(in zone: Zone, at now: Instant) {
    self.zone = zone.name
    resetsAt = Self.midnight(in: zone, from: Instant(milliseconds: now.milliseconds + 1))
  }

  /// Goes on to the window of a moment.
  /// - Parameters:
  ///   - pinned: the zone of the window, by its name.
  ///   - wanted: the zone that the person is in now; it counts from the next window on.
  /// - Returns: whether a new one has begun.
  public mutating func advance(to now: Instant, pinned: Zone, wanted: Zone) -> Bool {
    guard now >= resetsAt else { return false }
    // Whoever was away for days has the window that began at the last midnight.
    let today = wanted.civil(at: now).date
    let lastMidnight = wanted.instant(of: today.at(.midnight))
    let begin = lastMidnight >= resetsAt + Self.least ? lastMidnight : resetsAt
    zone = wanted.name
    resetsAt = Self.midnight(in: wanted, from: begin + Self.least)
    if resetsAt <= now {
      resetsAt = Self.midnight(in: wanted, from: Instant(milliseconds: now.milliseconds + 1))
    }
    return true
  }

  /// The first midnight from a moment on. Where the clocks skip it, the first moment of the day.
  private static func midnight(in zone: Zone, from moment: Instant) -> Instant {
    let date = zone.civil(at: moment).date
    let today = zone.instant(of: date.at(.midnight))
    return today >= moment ? today : zone.instant(of: date.adding(days: 1).at(.midnight))
  }
}

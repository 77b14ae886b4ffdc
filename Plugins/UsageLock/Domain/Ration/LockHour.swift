public import KithTime

/// An hour on the clocks of a zone, named by the moment at which it begins. An hour that the clocks
/// show twice is two, one that they skip is none, and zones of half and quarter hours have theirs.
///
/// What a change of the clocks leaves of an hour that is shorter than an hour (Lord Howe Island
/// moves them by half an hour) belongs to the hour before: from one hour to the next there is an
/// hour at least.
public struct LockHour: Sendable, Hashable {
  /// Its first moment, which names it.
  public let start: Instant
  /// The first moment of the next one.
  public let end: Instant

  /// The hour of a moment.
  public init(of instant: Instant, in zone: Zone) {
    // Short rests belong to the hour before them; a change within an hour leaves two.
    var start = Self.begin(of: instant, in: zone)
    while Self.isShort(start, in: zone) {
      start = Self.begin(of: start - .milliseconds(1), in: zone)
    }
    var end = Self.end(of: start, in: zone)
    while Self.isShort(end, in: zone) { end = Self.end(of: end, in: zone) }
    self.init(start: start, end: end)
  }

  /// An hour as it was stored.
  public init(start: Instant, end: Instant) {
    self.start = start
    self.end = end
  }

  private static func isShort(_ start: Instant, in zone: Zone) -> Bool {
    end(of: start, in: zone) - start < .seconds(3600)
  }

  /// When the clocks last showed a full hour, or were changed.
  private static func begin(of instant: Instant, in zone: Zone) -> Instant {
    let seconds = zone.civil(at: instant).time.secondOfDay % 3600
    let full = Instant(seconds: instant.seconds - seconds)
    guard let change = zone.change(after: full - .milliseconds(1)), change.instant <= instant,
      change.offsetBefore != change.offsetAfter
    else { return full }
    return change.instant
  }

  private static func end(of start: Instant, in zone: Zone) -> Instant {
    let seconds = zone.civil(at: start).time.secondOfDay % 3600
    let full = Instant(seconds: start.seconds - seconds + 3600)
    guard let change = zone.change(after: start), change.instant < full,
      change.offsetBefore != change.offsetAfter
    else { return full }
    return change.instant
  }
}

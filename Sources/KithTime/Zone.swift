/// An IANA time zone: which offset from UTC its clocks had and will have, and so what a wall shows
/// at an instant and at which instant a wall shows a time.
///
/// Zones come from the system's tzdata (`ZoneFiles`), so that a new edition of it needs no new
/// build. Foundation is not asked: its `TimeZone` comes with ICU, tens of MiB in each worker, and
/// FoundationEssentials alone has no zones.
public struct Zone: Sendable, Hashable {
  /// The IANA name, as it was asked for: `America/New_York`.
  public let name: String

  /// Where the offset changes, ascending, in seconds since 1970-01-01T00:00:00Z.
  let transitions: [Int]
  /// The offsets from UTC in seconds: `offsets[0]` before the first transition, `offsets[i + 1]`
  /// from transition i on.
  let offsets: [Int]
  /// What holds after the last transition; nil where the last offset stays.
  let rule: PosixRule?

  init(name: String, transitions: [Int], offsets: [Int], rule: PosixRule?) {
    self.name = name
    self.transitions = transitions
    self.offsets = offsets
    self.rule = rule
  }

  /// UTC.
  public static let utc = Zone(name: "UTC", transitions: [], offsets: [0], rule: nil)

  /// A zone whose clocks never change. `offset` is in seconds, east positive, within a day.
  public static func fixed(offset: Int, name: String) -> Zone {
    Zone(name: name, transitions: [], offsets: [min(max(offset, -86_399), 86_399)], rule: nil)
  }

  // MARK: Instant to wall

  /// What the wall shows at an instant.
  public func civil(at instant: Instant) -> CivilDateTime {
    CivilDateTime(wallSeconds: instant.seconds + offset(at: instant))
  }

  /// Seconds by which the wall is ahead of UTC at an instant.
  public func offset(at instant: Instant) -> Int { segment(at: instant.seconds).offset }

  // MARK: Wall to instant

  /// The instant of a time on the wall, for every time.
  ///
  /// RFC 5545, 3.3.5: a time that the clocks skipped is taken with the offset before the gap (02:30
  /// in New York on 2026-03-08 is 03:30 EDT); of a time that they showed twice, the first is meant
  /// (01:30 on 2025-11-02 is EDT).
  public func instant(of civil: CivilDateTime) -> Instant { resolve(civil).instant }

  /// The instant of a time on the wall, and whether the clocks skipped or repeated that time.
  public func resolve(_ civil: CivilDateTime) -> WallTime {
    let wall = civil.wallSeconds
    // No offset reaches two days, so the segment of then ends before the wall shows this time, or
    // contains it.
    var segment = segment(at: wall - 2 * 86_400)
    var before = segment.offset
    while let end = segment.end, wall >= end + segment.offset {
      before = segment.offset
      segment = self.segment(at: end)
    }
    if let start = segment.start, wall < start + segment.offset {
      return .skipped(Instant(seconds: wall - before))
    }
    let instant = wall - segment.offset
    if let end = segment.end {
      let next = self.segment(at: end)
      if wall >= end + next.offset {
        return .repeated(
          first: Instant(seconds: instant), second: Instant(seconds: wall - next.offset))
      }
    }
    return .once(Instant(seconds: instant))
  }

  // MARK: Changes

  /// The first change of the clocks after an instant; nil where they never change again.
  public func change(after instant: Instant) -> ZoneChange? {
    guard let end = segment(at: instant.seconds).end else { return nil }
    return ZoneChange(
      instant: Instant(seconds: end), offsetBefore: segment(at: end - 1).offset,
      offsetAfter: segment(at: end).offset)
  }

  // MARK: Segments

  /// A time through which the offset stays.
  struct Segment {
    /// The first second of it; nil where it had no beginning.
    var start: Int?
    /// The first second after it; nil where it has no end.
    var end: Int?
    /// Seconds east of UTC.
    var offset: Int
  }

  func segment(at seconds: Int) -> Segment {
    var low = 0
    var high = transitions.count
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle] <= seconds { low = middle + 1 } else { high = middle }
    }
    if low == transitions.count, let rule {
      return rule.segment(at: seconds, after: transitions.last)
    }
    return Segment(
      start: low == 0 ? nil : transitions[low - 1],
      end: low == transitions.count ? nil : transitions[low], offset: offsets[low])
  }
}

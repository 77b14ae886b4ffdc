/// A moment of the world, whatever the walls show: milliseconds since 1970-01-01T00:00:00Z, leap
/// seconds not counted (as POSIX and every `_ms` field of the contracts count).
public struct Instant: Sendable, Hashable, Comparable {
  /// Milliseconds since 1970-01-01T00:00:00Z; may be negative.
  public let milliseconds: Int

  /// The instant so many milliseconds after 1970-01-01T00:00:00Z.
  public init(milliseconds: Int) { self.milliseconds = milliseconds }

  /// The instant so many seconds after 1970-01-01T00:00:00Z.
  public init(seconds: Int) { milliseconds = seconds * 1000 }

  /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
  public var seconds: Int { floorDivide(milliseconds, 1000) }

  /// Whether one is earlier than the other.
  public static func < (left: Instant, right: Instant) -> Bool {
    left.milliseconds < right.milliseconds
  }

  /// The instant so much later; parts of a millisecond are dropped.
  public static func + (instant: Instant, duration: Duration) -> Instant {
    Instant(milliseconds: instant.milliseconds + milliseconds(of: duration))
  }

  /// The instant so much earlier.
  public static func - (instant: Instant, duration: Duration) -> Instant {
    Instant(milliseconds: instant.milliseconds - milliseconds(of: duration))
  }

  /// How long after the other one this is.
  public static func - (later: Instant, earlier: Instant) -> Duration {
    .milliseconds(later.milliseconds - earlier.milliseconds)
  }

  private static func milliseconds(of duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
  }
}

extension Instant: CustomStringConvertible {
  /// As in ISO 8601, in UTC: 2026-03-08T07:30:00Z, with milliseconds where there are any.
  public var description: String {
    let part = milliseconds - seconds * 1000
    return "\(CivilDateTime(wallSeconds: seconds))\(part == 0 ? "" : ".\(padded(part, 3))")Z"
  }
}

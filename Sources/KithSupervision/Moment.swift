/// A point on the supervisor's clock: how long after the host's start, on a clock that never goes
/// back.
///
/// The supervisor has no clock of its own; whoever drives it says what time it is.
public struct Moment: Hashable, Comparable, Sendable {
  /// The time since the host's start.
  public var sinceStart: Duration

  /// The moment that lies this long after the host's start.
  public init(sinceStart: Duration) {
    self.sinceStart = sinceStart
  }

  /// The host's start.
  public static let start = Moment(sinceStart: .zero)

  /// Whether one moment is before another.
  public static func < (one: Moment, other: Moment) -> Bool {
    one.sinceStart < other.sinceStart
  }

  /// The moment that lies this long after another.
  public static func + (moment: Moment, duration: Duration) -> Moment {
    Moment(sinceStart: moment.sinceStart + duration)
  }

  /// The time between two moments; negative when the second is the later one.
  public static func - (later: Moment, earlier: Moment) -> Duration {
    later.sinceStart - earlier.sinceStart
  }
}

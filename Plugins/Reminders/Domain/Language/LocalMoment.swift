public import KithTime

/// A time that was said, as exactly as it was said.
public struct LocalMoment: Sendable, Hashable {
  /// How the time is meant.
  public enum Shape: Sendable, Hashable {
    /// At `start`, or somewhen within its grain.
    case point
    /// From `start` to before `end`.
    case interval
    /// At `start` or later.
    case after
    /// Before `start`.
    case before
  }

  /// The first moment of it on the wall, cut to the grain.
  public var start: CivilDateTime
  /// The first moment after an interval; nil for the other shapes.
  public var end: CivilDateTime?
  /// How exactly it was said: "tomorrow" is a day, "at 8" an hour.
  public var grain: Grain
  /// How it is meant.
  public var shape: Shape
  /// When a reminder of it is due: `start` for a time of day; the day's or part of the day's own
  /// time (breakfast for a morning, see `DayPart`) where no time was said; not cut to the grain
  /// after "in 7 days".
  public var due: CivilDateTime

  init(
    _ start: CivilDateTime, _ grain: Grain, due: CivilDateTime? = nil, end: CivilDateTime? = nil,
    shape: Shape = .point
  ) {
    self.start = start
    self.end = end
    self.grain = grain
    self.shape = shape
    self.due = due ?? (grain >= .day ? start.date.at(DayPart.morning.due) : start)
  }
}

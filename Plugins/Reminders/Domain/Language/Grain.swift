/// How exact a time is, or what a span is counted in.
public enum Grain: Int, Sendable, Hashable, Comparable, CaseIterable {
  case second, minute, hour, day, week, month, quarter, year

  /// Whether one is finer than the other.
  public static func < (left: Grain, right: Grain) -> Bool { left.rawValue < right.rawValue }
}

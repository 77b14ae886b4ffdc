/// A day of the week; raw values are those of ISO 8601 (Monday is 1, Sunday is 7).
public enum Weekday: Int, Sendable, Hashable, CaseIterable, Comparable {
  case monday = 1
  case tuesday, wednesday, thursday, friday, saturday, sunday

  /// Whether one comes before the other in a week that starts on Monday.
  public static func < (left: Weekday, right: Weekday) -> Bool { left.rawValue < right.rawValue }

  /// How many days after the last `start` this one is: 0 to 6.
  public func days(after start: Weekday) -> Int { (rawValue - start.rawValue + 7) % 7 }
}

public import KithTime

extension Schedule {
  /// Why a schedule is more than reminders can be.
  public enum Excess: Error, Sendable, Hashable, CustomStringConvertible {
    /// It is due more often than once a minute.
    case tooDense
    /// It counts further than ``mostCounted``.
    case countsTooFar

    /// What was wrong and what is expected.
    public var description: String {
      switch self {
      case .tooDense: "it is due more often than once a minute; expected are minutes or more"
      case .countsTooFar: "COUNT is above \(mostCounted); expected is less, or UNTIL"
      }
    }
  }

  /// The furthest that `COUNT` counts. To know which occurrences are left, all that were before
  /// must be counted.
  public static let mostCounted = 10_000

  /// Checks that the work on it stays small, and what it does bearable: a rule can be written in a
  /// line that is due a billion times.
  public func checkBounds(in zone: Zone) throws(Excess) {
    if let rule, case .count(let count) = rule.end, count > Self.mostCounted { throw .countsTooFar }
    // The first ones show how dense a rule is; those of a day are at most 1,440.
    var previous: Instant?
    for occurrence in occurrences(in: zone).prefix(100) {
      if let previous, occurrence.instant - previous < .seconds(60) { throw .tooDense }
      previous = occurrence.instant
    }
  }
}

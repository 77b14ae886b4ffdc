public import KithTime

/// Time that does not go back: a clock that is set back revives nothing.
public struct LatestTime: Sendable, Hashable {
  /// The latest moment that is known to have been.
  public private(set) var latest: Instant

  /// Time from a moment on, as it was kept.
  public init(latest: Instant) { self.latest = latest }

  /// What time it is, by a clock that may have been set back. A moment that a store has signed
  /// counts too.
  public mutating func observe(_ moment: Instant) -> Instant {
    latest = max(latest, moment)
    return latest
  }
}

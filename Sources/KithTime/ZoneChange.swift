/// A moment at which the clocks of a zone are put forward or back.
public struct ZoneChange: Sendable, Hashable {
  /// The first moment of the new time.
  public let instant: Instant
  /// Seconds by which the wall was ahead of UTC until then.
  public let offsetBefore: Int
  /// Seconds by which it is ahead of UTC from then on; the same as before where only the name of
  /// the time changed.
  public let offsetAfter: Int
}

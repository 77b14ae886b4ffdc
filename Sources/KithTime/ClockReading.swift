/// What the clocks of a machine show at one moment: the wall clock, which may be set, and the one
/// that counts from the machine's start and is never set.
public struct ClockReading: Sendable, Hashable {
  /// What the wall clock shows.
  public var wall: Instant
  /// How long the machine has been up, its sleep included.
  public var sinceBoot: Duration
  /// Names the start of the machine from which `sinceBoot` counts. Readings of two boots tell the
  /// time between them by their wall clocks alone.
  public var boot: String

  /// A reading.
  public init(wall: Instant, sinceBoot: Duration, boot: String) {
    self.wall = wall
    self.sinceBoot = sinceBoot
    self.boot = boot
  }
}

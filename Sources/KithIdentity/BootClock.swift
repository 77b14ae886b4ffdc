/// The clock by which proofs expire: CLOCK_BOOTTIME, one for all processes of a machine and never
/// set.
public enum BootClock {
  /// Milliseconds since the machine was started.
  public static var milliseconds: Int64 {
    let clock = ContinuousClock()
    let (seconds, attoseconds) = clock.systemEpoch.duration(to: clock.now).components
    return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
  }
}

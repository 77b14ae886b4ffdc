/// A deadline that a wall clock cannot move: it ends when its length has passed in the world.
///
///     var deadline = TrustedDeadline(.seconds(60), from: clock.reading)
///     ...                                              // stored, and read again after a restart
///     if deadline.isOver(at: clock.reading) { ... }
///     let next = deadline.instant(at: clock.reading)   // for DueWork.nextDue()
///
/// Within one boot of the machine it is counted by the clock that is never set. After a reboot only
/// the wall clock tells how long the machine was down: a wall clock that was set meanwhile may then
/// end the deadline early, and can make it no longer than its whole length from the first reading
/// of the new boot. A value to be stored: two instants, a length and the name of the boot.
public struct TrustedDeadline: Sendable, Hashable {
  /// How long it was from its begin.
  public let length: Duration
  /// The boot by whose clock it is counted.
  public let boot: String
  /// Its end by that boot's clock.
  public let end: Duration
  /// Its end by the wall clock that was read when it began or was last moved.
  public let wallEnd: Instant

  /// A deadline that begins now.
  /// - Parameter length: zero or more, in whole milliseconds.
  public init(_ length: Duration, from reading: ClockReading) {
    self.init(
      length: length, boot: reading.boot, end: reading.sinceBoot + length,
      wallEnd: reading.wall + length)
  }

  /// A deadline as it was stored.
  public init(length: Duration, boot: String, end: Duration, wallEnd: Instant) {
    self.length = length
    self.boot = boot
    self.end = end
    self.wallEnd = wallEnd
  }

  /// What is left of it: from zero to its length.
  public func remaining(at reading: ClockReading) -> Duration {
    let left = counts(at: reading) ? end - reading.sinceBoot : wallEnd - reading.wall
    return min(max(left, .zero), length)
  }

  /// How much of it has passed: from zero to its length.
  public func elapsed(at reading: ClockReading) -> Duration { length - remaining(at: reading) }

  /// Whether it is over.
  public func isOver(at reading: ClockReading) -> Bool { remaining(at: reading) == .zero }

  /// What the wall clock shows at its end, if nobody sets it until then.
  public func instant(at reading: ClockReading) -> Instant {
    reading.wall + remaining(at: reading)
  }

  /// The same deadline counted by the clock of the reading's boot. To be stored by a worker that
  /// finds one of an earlier boot: from then on the wall clock no longer counts.
  public func moved(to reading: ClockReading) -> TrustedDeadline {
    let left = remaining(at: reading)
    return TrustedDeadline(
      length: length, boot: reading.boot, end: reading.sinceBoot + left,
      wallEnd: reading.wall + left)
  }

  /// Whether the reading's clock is the one that it is counted by. A clock that shows less than at
  /// the begin has begun anew under the same name, as that of a product in virtual time does.
  public func counts(at reading: ClockReading) -> Bool {
    reading.boot == boot && reading.sinceBoot >= end - length
  }
}

/// Time that nobody gains by setting a clock: what a lock, a trial or a quota counts by.
///
///     var clock = TrustedClock(startingAt: reading)
///     ...                                                  // stored with each change, read again
///     let verdict = clock.advance(to: reading, isWallKept: isSynchronized)
///     if verdict.isTrusted, clock.now >= dayEnd { ... }    // a fresh quota
///
/// A value to be stored: five numbers and the name of a boot. Within one boot it goes on by the
/// clock that is never set, and a step of the wall clock is only noticed. What a reboot takes is
/// known from the wall clock alone, and counts where something keeps that clock right (NTP). Where
/// nothing does, none of it counts: ``now`` is then behind by the time that the machine was down,
/// and is trusted again when the machine has been up as long as the wall clock claims it was down.
/// So ``now`` is never later than the time that has passed in the world allows.
public struct TrustedClock: Sendable, Hashable {
  /// What a reading told.
  public struct Verdict: Sendable, Hashable {
    /// By how much time went on.
    public var elapsed: Duration
    /// By how much the wall clock was set since the reading before; nil when it was not.
    public var step: Duration?
    /// Whether the machine was started since the reading before.
    public var isNewBoot: Bool
    /// Whether something that is due may be granted.
    public var isTrusted: Bool
  }

  /// A wall clock that is off by less was corrected, and not set.
  public static let stepTolerance = Duration.seconds(5)
  /// By how much of the time that passed a wall clock that is kept right may move ``now``: the most
  /// that the kernel itself moves the wall clock (500 parts in a million).
  private static let slewDivisor = 2_000
  /// Readings of two processes may come out of order by so much.
  private static let disorder = Duration.seconds(10)

  /// The time.
  public private(set) var now: Instant
  /// The boot of the last reading.
  public let boot: String
  /// The last reading of that boot's clock.
  public private(set) var sinceBoot: Duration
  /// What the wall clock showed then.
  public private(set) var wall: Instant
  /// How much longer the machine has to be up before ``now`` is trusted; zero when it is.
  public private(set) var unproven: Duration

  /// A clock that begins with what the wall clock shows.
  /// - Parameter reading: the first reading ever. Nothing was granted before it, so it is trusted.
  public init(startingAt reading: ClockReading) {
    self.init(
      now: reading.wall, boot: reading.boot, sinceBoot: reading.sinceBoot, wall: reading.wall,
      unproven: .zero)
  }

  /// A clock as it was stored.
  public init(
    now: Instant, boot: String, sinceBoot: Duration, wall: Instant, unproven: Duration
  ) {
    self.now = now
    self.boot = boot
    self.sinceBoot = sinceBoot
    self.wall = wall
    self.unproven = unproven
  }

  /// Whether something that is due may be granted.
  public var isTrusted: Bool { unproven == .zero }

  /// Goes on to a reading. To be stored afterwards: time that was not stored and is lost in a
  /// reboot does not count.
  /// - Parameter isWallKept: whether something keeps the wall clock right that the person cannot
  ///   stop: what adjtimex(2) says, or the word of an operator.
  public mutating func advance(to reading: ClockReading, isWallKept: Bool) -> Verdict {
    reading.boot == boot && reading.sinceBoot >= sinceBoot - Self.disorder
      ? goOn(to: reading, isWallKept) : begin(with: reading, isWallKept)
  }

  /// Within one boot.
  private mutating func goOn(to reading: ClockReading, _ isWallKept: Bool) -> Verdict {
    let elapsed = reading.sinceBoot - sinceBoot
    guard elapsed >= .zero else {
      return Verdict(elapsed: .zero, step: nil, isNewBoot: false, isTrusted: isTrusted)
    }
    let before = now
    let difference = (reading.wall - wall) - elapsed
    now = now + elapsed
    unproven = max(unproven - elapsed, .zero)
    if isWallKept {
      if !isTrusted {
        now = max(now, reading.wall)
        unproven = .zero
      } else {
        let most = elapsed / Self.slewDivisor
        now = now + min(max(reading.wall - now, .zero - most), most)
      }
    }
    (sinceBoot, wall) = (reading.sinceBoot, reading.wall)
    let isStep = difference > Self.stepTolerance || difference < .zero - Self.stepTolerance
    return Verdict(
      elapsed: now - before, step: isStep ? difference : nil, isNewBoot: false,
      isTrusted: isTrusted)
  }

  /// After a reboot.
  private mutating func begin(with reading: ClockReading, _ isWallKept: Bool) -> Verdict {
    let before = now
    let down = reading.wall - wall
    // The machine has been up for so long at least, whatever its wall clock shows.
    let up = reading.boot == boot ? .zero : max(reading.sinceBoot, .zero)
    var next = TrustedClock(
      now: now + up, boot: reading.boot, sinceBoot: reading.sinceBoot, wall: reading.wall,
      unproven: .zero)
    if isWallKept {
      next.now = max(next.now, reading.wall)
    } else {
      next.unproven = max(unproven, down) - up
      next.unproven = max(next.unproven, .zero)
    }
    self = next
    return Verdict(
      elapsed: now - before, step: down < .zero ? down : nil, isNewBoot: true,
      isTrusted: isTrusted)
  }
}

public import KithTime

/// A time that goes on steadily whatever is done to the wall clock, also over restarts of the
/// worker: what the wall showed once, and the clock that is never set since then.
///
/// When the machine was restarted the wall clock is asked again; time does not go back then.
public struct TrustedTime: Sendable, Hashable {
  /// Names the run of the machine that ``sinceBoot`` counts in.
  public let boot: String
  /// The time at ``sinceBoot``.
  public let instant: Instant
  /// The clock that is never set.
  public let sinceBoot: Duration

  /// A time as it was stored.
  public init(boot: String, instant: Instant, sinceBoot: Duration) {
    self.boot = boot
    self.instant = instant
    self.sinceBoot = sinceBoot
  }

  /// The time that goes on from a stored one.
  /// - Parameters:
  ///   - saved: what was stored; nil at the very first start.
  ///   - boot: names the run of the machine; empty where it cannot be told.
  public init(resuming saved: TrustedTime?, boot: String, sinceBoot: Duration, wall: Instant) {
    if let saved, !boot.isEmpty, saved.boot == boot, saved.sinceBoot <= sinceBoot {
      self = saved
    } else {
      self.init(
        boot: boot, instant: saved.map { max($0.instant, wall) } ?? wall, sinceBoot: sinceBoot)
    }
  }

  /// The time at a moment of the clock that is never set.
  public func now(sinceBoot: Duration) -> Instant { instant + (sinceBoot - self.sinceBoot) }

  /// The same time, noted at a later moment.
  public func noted(sinceBoot: Duration) -> TrustedTime {
    TrustedTime(boot: boot, instant: now(sinceBoot: sinceBoot), sinceBoot: sinceBoot)
  }
}

/// When a worker that ended is started again, and when it is left alone.
public struct RestartPolicy: Hashable, Sendable {
  /// Which ends call for a new start. The words are Erlang/OTP's.
  public enum Kind: Hashable, Sendable, CaseIterable {
    /// Always.
    case permanent
    /// Every end but exit code 0.
    case transient
    /// None.
    case temporary
  }

  /// Who else is restarted when the worker dies.
  public enum Strategy: Hashable, Sendable, CaseIterable {
    /// Nobody.
    case oneForOne
    /// Every worker that requires it, directly or not.
    case restForOne
    /// Every worker of the product.
    case oneForAll
  }

  /// Which ends call for a new start.
  public var kind: Kind
  /// Who else is restarted.
  public var strategy: Strategy
  /// How many restarts are allowed within `period`; the death after them leads to quarantine.
  public var intensity: Int
  /// The time within which `intensity` counts.
  public var period: Duration
  /// The wait before the second restart in a row; the first happens at once. It doubles from restart to restart.
  public var shortestBackoff: Duration
  /// The wait that is not exceeded.
  public var longestBackoff: Duration
  /// How long a worker must have been ready for its next restart to count as the first in a row again.
  public var healthyAfter: Duration
  /// How long the first quarantine lasts; each one that follows a failed retry lasts twice as long.
  public var shortestQuarantine: Duration
  /// The quarantine that is not exceeded.
  public var longestQuarantine: Duration

  /// A policy; what is not named has the value that suits most workers.
  public init(
    kind: Kind = .permanent,
    strategy: Strategy = .oneForOne,
    intensity: Int = 5,
    period: Duration = .seconds(30),
    shortestBackoff: Duration = .milliseconds(100),
    longestBackoff: Duration = .seconds(30),
    healthyAfter: Duration = .seconds(10),
    shortestQuarantine: Duration = .seconds(60),
    longestQuarantine: Duration = .seconds(15 * 60)
  ) {
    self.kind = kind
    self.strategy = strategy
    self.intensity = max(0, intensity)
    self.period = period
    self.shortestBackoff = shortestBackoff
    self.longestBackoff = longestBackoff
    self.healthyAfter = healthyAfter
    self.shortestQuarantine = shortestQuarantine
    self.longestQuarantine = longestQuarantine
  }

  /// The wait before a restart, without jitter; `restart` counts the restarts in a row from 1.
  func backoff(beforeRestart restart: Int) -> Duration {
    guard restart > 1 else { return .zero }
    return Self.doubled(shortestBackoff, times: restart - 2, atMost: longestBackoff)
  }

  /// How long the quarantine lasts that is the `round`th in a row, from 1.
  func quarantine(round: Int) -> Duration {
    Self.doubled(shortestQuarantine, times: round - 1, atMost: longestQuarantine)
  }

  private static func doubled(_ duration: Duration, times: Int, atMost limit: Duration) -> Duration
  {
    var result = duration
    // Sixty doublings of anything pass every limit; the bound keeps a long crash loop from counting on for ever.
    for _ in 0..<min(max(times, 0), 60) where result < limit { result = result * 2 }
    return min(result, limit)
  }
}

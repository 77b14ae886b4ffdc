/// How long a worker that died waits for its next start.
public struct Backoff: Hashable, Sendable {
  /// The wait before the second restart in a row; the first happens at once. It doubles from restart to restart.
  public var shortest: Duration
  /// The wait that is not exceeded.
  public var longest: Duration
  /// How long a worker must have been ready for its next restart to count as the first in a row again.
  public var healthyAfter: Duration
  /// How long the first quarantine lasts; each one that follows a failed retry lasts twice as long.
  public var shortestQuarantine: Duration
  /// The quarantine that is not exceeded.
  public var longestQuarantine: Duration

  /// Waits; what is not named has the value that suits most workers.
  public init(
    shortest: Duration = .milliseconds(100),
    longest: Duration = .seconds(30),
    healthyAfter: Duration = .seconds(10),
    shortestQuarantine: Duration = .seconds(60),
    longestQuarantine: Duration = .seconds(15 * 60)
  ) {
    self.shortest = shortest
    self.longest = longest
    self.healthyAfter = healthyAfter
    self.shortestQuarantine = shortestQuarantine
    self.longestQuarantine = longestQuarantine
  }

  /// The wait before a restart, without jitter; `restart` counts the restarts in a row from 1.
  func wait(beforeRestart restart: Int) -> Duration {
    guard restart > 1 else { return .zero }
    return Self.doubled(shortest, times: restart - 2, atMost: longest)
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

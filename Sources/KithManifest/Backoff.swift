/// How long a worker that died waits for its next start.
///
/// Each wait is drawn between half of what stands here and all of it, so that workers that died
/// together do not come back together.
public struct Backoff: Hashable, Sendable {
  /// The wait before the second restart in a row; the first happens at once. It doubles from
  /// restart to restart. 100 ms unless told.
  public var shortest: Duration
  /// The wait that is not exceeded. 30 s unless told.
  public var longest: Duration
  /// How long a worker must have been ready for its next restart to count as the first in a row
  /// again. 10 s unless told.
  public var healthyAfter: Duration
  /// How long the first quarantine lasts; each one that follows a failed retry lasts twice as long.
  /// 1 min unless told.
  public var shortestQuarantine: Duration
  /// The quarantine that is not exceeded. 15 min unless told.
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
}

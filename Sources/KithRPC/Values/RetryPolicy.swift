/// Whether and how a call is repeated that a worker lost, by dying or by leaving.
///
/// A call is repeated only when that can do no harm: its method says in the contract that it is
/// idempotent or without side effects, or the caller gives an ``IdempotencyKey``. An UNAVAILABLE
/// that a handler has thrown is an answer, not a loss. All attempts share the call's deadline, and
/// all calls of a client share a budget, so that a worker that is in trouble is not given more to
/// do. A worker that is not there at all is not asked again: that is what waiting for readiness is
/// for.
public struct RetryPolicy: Sendable, Hashable {
  /// How often a call is made at most, the first time included; 1 for never again.
  public var maximumAttempts: Int
  /// How many of these at most may each have been carried out before their worker was lost: a
  /// request that ends whoever reads it must not end one worker after another.
  public var maximumAttemptsThatMayHaveRun: Int
  /// The longest pause before the second attempt; each later one may be twice as long.
  public var firstPause: Duration
  /// The longest pause there is.
  public var longestPause: Duration

  /// A policy.
  public init(
    maximumAttempts: Int, maximumAttemptsThatMayHaveRun: Int = 2,
    firstPause: Duration = .milliseconds(5), longestPause: Duration = .milliseconds(500)
  ) {
    self.maximumAttempts = maximumAttempts
    self.maximumAttemptsThatMayHaveRun = maximumAttemptsThatMayHaveRun
    self.firstPause = firstPause
    self.longestPause = longestPause
  }

  /// Up to four attempts, two of which may have been carried out.
  public static let standard = RetryPolicy(maximumAttempts: 4)
  /// One attempt.
  public static let never = RetryPolicy(maximumAttempts: 1)

  /// How long to wait after so many attempts; `jitter` is between 0 and 1. Full jitter: Brooker,
  /// "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
  func pause(afterAttempts attempts: Int, jitter: Double) -> Duration {
    min(longestPause, firstPause * (1 << min(max(attempts - 1, 0), 20))) * jitter
  }
}

/// How many calls a client may still repeat: a value.
///
/// Each repetition takes a token, each call that ends well gives back a tenth of one: in the long
/// run at most one call in ten is a repetition. The numbers are those of gRPC's retry throttling
/// (proposal A6).
struct RetryBudget {
  static let maximumTokens = 10.0
  static let tokensForSuccess = 0.1

  private var tokens = maximumTokens

  /// Takes a token; answers false when fewer than half of them are left.
  mutating func take() -> Bool {
    guard tokens > Self.maximumTokens / 2 else { return false }
    tokens -= 1
    return true
  }

  /// A call ended well.
  mutating func succeed() { tokens = min(Self.maximumTokens, tokens + Self.tokensForSuccess) }
}

/// How long to wait before the next attempt: full jitter, so that many messages that failed at one
/// moment do not come back at one moment.
public enum RetryPause {
  /// The upper bound of the first pause; it doubles with each attempt.
  public static let base = Duration.seconds(2)
  /// The upper bound of every pause.
  public static let cap = Duration.seconds(60)

  /// The pause after so many attempts.
  /// - Parameters:
  ///   - attempts: how many were made, 1 at least.
  ///   - random: from 0 to 1.
  ///   - atLeast: what the provider asked for.
  public static func length(
    after attempts: Int, random: Double, atLeast: Duration? = nil
  ) -> Duration {
    let bound = min(cap, base * (1 << min(max(attempts - 1, 0), 10)))
    let jitter = bound * min(max(random, 0), 1)
    return max(jitter, atLeast ?? .zero)
  }
}

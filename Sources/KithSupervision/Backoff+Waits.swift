import KithManifest

extension Backoff {
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
    // Sixty doublings of anything pass every limit; the bound keeps a long crash loop from counting
    // on for ever.
    for _ in 0..<min(max(times, 0), 60) where result < limit { result = result * 2 }
    return min(result, limit)
  }
}

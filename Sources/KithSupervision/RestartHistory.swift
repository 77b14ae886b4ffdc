import KithManifest

/// How a worker's recent restarts went: what the next one waits for, and whether there is one.
struct RestartHistory: Hashable, Sendable {
  /// What follows a death.
  enum Verdict: Hashable {
    /// A restart, after this wait.
    case restart(after: Duration)
    /// A quarantine of this length.
    case quarantine(Duration)
  }

  /// Deaths in a row, without a healthy run between them.
  private(set) var deathsInARow = 0
  /// When restarts happened, oldest first, as far as they still count.
  private(set) var restarts: [Moment] = []
  /// Quarantines in a row.
  private(set) var quarantines = 0
  /// Whether the present process is the one retry after a quarantine.
  private(set) var isOnProbation = false

  /// Judges a death; `readyFor` says how long the worker had been ready, nil when it never was.
  mutating func died(
    at now: Moment, readyFor: Duration?, policy: RestartPolicy, backoff: Backoff,
    using generator: inout some RandomNumberGenerator
  ) -> Verdict {
    if let readyFor, readyFor >= backoff.healthyAfter {
      deathsInARow = 0
      quarantines = 0
      isOnProbation = false
    }
    deathsInARow += 1
    forget(before: now, policy: policy)
    if isOnProbation || restarts.count >= policy.intensity {
      quarantines += 1
      isOnProbation = false
      return .quarantine(backoff.quarantine(round: quarantines))
    }
    let full = backoff.wait(beforeRestart: deathsInARow)
    // Between half and all of it: workers that died together do not come back together, and nobody waits for nothing.
    let share = UInt64.random(in: 500...1000, using: &generator)
    return .restart(after: full * Int(share) / 1000)
  }

  /// Takes note of a restart that nobody asked for.
  mutating func restarted(at now: Moment, policy: RestartPolicy) {
    forget(before: now, policy: policy)
    restarts.append(now)
  }

  /// Takes note that the quarantine is over and one try is made.
  mutating func beginProbation() {
    isOnProbation = true
    restarts = []
  }

  /// Begins anew: somebody asked for the worker.
  mutating func clear() {
    self = RestartHistory()
  }

  private mutating func forget(before now: Moment, policy: RestartPolicy) {
    restarts.removeAll { now - $0 >= policy.period }
  }
}

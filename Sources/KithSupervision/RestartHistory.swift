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

  /// How much of a rule's budget is used.
  struct Use: Hashable, Sendable {
    var used: Int
    var rule: BudgetRule
  }

  /// A restart that nobody asked for.
  struct Restart: Hashable, Sendable {
    var at: Moment
    var cause: RestartPolicy.Cause
  }

  /// Deaths in a row, without a healthy run between them.
  private(set) var deathsInARow = 0
  /// Restarts, oldest first, as far as they still count.
  private(set) var restarts: [Restart] = []
  /// Quarantines in a row.
  private(set) var quarantines = 0
  /// Whether the present process is the one retry after a quarantine.
  private(set) var isOnProbation = false

  /// Judges a death; `readyFor` says how long the worker had been ready, nil when it never was.
  mutating func died(
    of cause: RestartPolicy.Cause, at now: Moment, readyFor: Duration?,
    worker: WorkerSpecification, using generator: inout some RandomNumberGenerator
  ) -> Verdict {
    let backoff = worker.restart.backoff
    if let readyFor, readyFor >= backoff.healthyAfter {
      deathsInARow = 0
      quarantines = 0
      isOnProbation = false
    }
    deathsInARow += 1
    let use = use(for: cause, at: now, worker)
    if isOnProbation || use.used >= use.rule.budget.intensity {
      quarantines += 1
      isOnProbation = false
      return .quarantine(backoff.quarantine(round: quarantines))
    }
    let full = backoff.wait(beforeRestart: deathsInARow)
    // Between half and all of it: workers that died together do not come back together, and nobody
    // waits for nothing.
    let share = UInt64.random(in: 500...1000, using: &generator)
    return .restart(after: full * Int(share) / 1000)
  }

  /// The use of the budget for a cause of which least is left.
  func use(for cause: RestartPolicy.Cause, at now: Moment, _ worker: WorkerSpecification) -> Use {
    var tightest: Use?
    for rule in worker.budgetRules(for: cause) {
      let used = restarts.count { restart in
        now - restart.at < rule.budget.period && rule.causes.contains(restart.cause)
      }
      // All of a worker's budgets that one restart is taken from have the same intensity.
      if used > tightest?.used ?? -1 { tightest = Use(used: used, rule: rule) }
    }
    return tightest
      ?? Use(used: 0, rule: BudgetRule(budget: worker.restart.budget, causes: [cause]))
  }

  /// Takes note of a restart that nobody asked for.
  mutating func restarted(
    because cause: RestartPolicy.Cause, at now: Moment, _ worker: WorkerSpecification
  ) {
    let longest =
      RestartPolicy.Cause.allCases.flatMap(worker.budgetRules).map(\.budget.period).max() ?? .zero
    restarts.removeAll { now - $0.at >= longest }
    restarts.append(Restart(at: now, cause: cause))
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
}

extension RestartPolicy.Cause {
  /// The causes in a sentence: `restarted 2 times because it was stuck`.
  var forPeople: String {
    switch self {
    case .crash: "after crashes"
    case .outOfMemory: "because it ran out of memory"
    case .notReady: "because it did not become ready"
    case .stuck: "because it was stuck"
    case .exitZero: "after ending by itself"
    }
  }
}

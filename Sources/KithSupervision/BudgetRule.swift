import KithManifest

/// A budget of restarts, and the causes of which restarts are taken from it.
struct BudgetRule: Hashable, Sendable {
  var budget: RestartPolicy.Budget
  var causes: Set<RestartPolicy.Cause>
}

extension WorkerSpecification {
  /// The budgets that a restart of this cause is taken from; there must be room in each.
  func budgetRules(for cause: RestartPolicy.Cause) -> [BudgetRule] {
    if let own = restart.budgets[cause] { return [BudgetRule(budget: own, causes: [cause])] }
    let shared = BudgetRule(
      budget: restart.budget,
      causes: Set(RestartPolicy.Cause.allCases.filter { restart.budgets[$0] == nil }))
    guard cause == .notReady else { return [shared] }
    return [shared, BudgetRule(budget: budgetOfSlowStarts, causes: [.notReady])]
  }

  /// As many restarts as the policy bears, in a period that holds them all when each process takes
  /// all of its time to start, to be ended and to be waited for: failures that are slow add up too.
  private var budgetOfSlowStarts: RestartPolicy.Budget {
    let longestTry = limits.start + limits.terminate + limits.kill + restart.backoff.longest
    return RestartPolicy.Budget(
      intensity: restart.budget.intensity,
      period: max(restart.budget.period, longestTry * (restart.budget.intensity + 1)))
  }
}

public import KithManifest

extension Supervisor {
  /// How much of a budget of restarts is used up.
  public struct BudgetUse: Hashable, Sendable {
    /// Restarts within the period that ends now.
    public var used: Int
    /// The budget.
    public var budget: RestartPolicy.Budget
  }

  /// The use of the budget that a worker's last restart was taken from, or that its next crash
  /// would be; nil when there is no such worker.
  public func budgetUse(of name: String, at now: Moment) -> BudgetUse? {
    guard let record = records[name] else { return nil }
    let cause = record.history.restarts.last?.cause ?? .crash
    let use = record.history.use(for: cause, at: now, record.specification)
    return BudgetUse(used: use.used, budget: use.rule.budget)
  }
}

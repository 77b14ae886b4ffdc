/// How an app is locked.
public enum LockMode: String, Sendable, Hashable, CaseIterable {
  /// A budget for each day; a window in each hour; a window for who says the sentence; never.
  case dailyBudget = "daily_budget"
  case hourlyRation = "hourly_ration"
  case extreme
  case alwaysOpen = "always_open"
}

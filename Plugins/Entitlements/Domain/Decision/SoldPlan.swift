/// A plan: what those who have it may use.
public struct SoldPlan: Sendable, Hashable {
  /// What is left of a feature that is used up.
  public enum Limit: Sendable, Hashable {
    /// So many in a day.
    case daily(Int)
    /// So many at once.
    case level(Int)
    /// So many in a day as a matter of fairness: told, and never refused.
    case fairUse(Int)
  }

  /// What it is called.
  public let name: String
  /// The features that it has.
  public let features: Set<String>
  /// The limits of features, by quota.
  public let limits: [String: Limit]

  /// A plan.
  public init(name: String, features: Set<String>, limits: [String: Limit] = [:]) {
    (self.name, self.features, self.limits) = (name, features, limits)
  }
}

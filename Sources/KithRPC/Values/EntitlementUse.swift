/// What a call of a method consumes of its caller's plan: what the option `kith.entitlement` of its
/// contract says.
public struct EntitlementUse: Sendable, Hashable {
  /// The feature that the caller's plan must have: `ask`.
  public let feature: String
  /// The quota that the call is counted in; empty for none.
  public let quota: String
  /// How much of the quota a call consumes.
  public let cost: Int
  /// Whether somebody's safety depends on it, so that nobody is refused.
  public let isSafety: Bool

  /// What a call consumes.
  public init(feature: String, quota: String = "", cost: Int = 1, isSafety: Bool = false) {
    (self.feature, self.quota, self.cost, self.isSafety) = (feature, quota, cost, isSafety)
  }
}

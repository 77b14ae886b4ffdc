public import KithTime

/// What a person is entitled to at a moment, and why.
public struct Entitlement: Sendable, Hashable {
  /// How long what is known stands while nothing is heard of a store: from its last word, or from
  /// the end of what was paid where that is later.
  public static let patience = Duration.seconds(72 * 3600)

  /// Why a plan is given.
  public enum Basis: Sendable, Hashable {
    /// A subscription gives it.
    case subscription(String, Subscription.Status)
    /// A subscription gave it, and the store has not been heard since.
    case silence(String)
    /// Nothing does: everybody has it.
    case everybody
  }

  /// The plan.
  public let plan: SoldPlan
  /// Why.
  public let basis: Basis
  /// The facts that the answer rests on.
  public let facts: [StoreFact]
  /// When the answer changes if nothing is heard; nil for never.
  public let until: Instant?

  /// Decides for a person.
  /// - Parameters:
  ///   - now: time that does not go back: see ``LatestTime``.
  ///   - countsTests: whether test purchases count; never in production.
  public static func decide(
    _ subscriptions: [Subscription], in catalogue: PlanCatalogue, now: Instant,
    countsTests: Bool = false
  ) -> Entitlement {
    var best: (rank: Int, basis: Basis, facts: [StoreFact], until: Instant?)?
    for subscription in subscriptions where countsTests || !subscription.isTest {
      guard let rank = catalogue.rank(ofProduct: subscription.product) else { continue }
      let status = subscription.status(at: now)
      let basis: Basis
      var until: Instant?
      if status.gives {
        basis = .subscription(subscription.id, status)
        until = subscription.givesUntil(at: now)
      } else if subscription.isSilent(at: now), let paid = subscription.paidUntil,
        now < max(subscription.knownAt, paid) + patience
      {
        basis = .silence(subscription.id)
        until = max(subscription.knownAt, paid) + patience
      } else {
        continue
      }
      // Of two that give the same, the one that gives longer.
      if let known = best {
        let isLonger = known.until.map { known in until.map { $0 > known } ?? true } ?? false
        guard rank > known.rank || rank == known.rank && isLonger else { continue }
      }
      best = (rank, basis, subscription.facts, until)
    }
    guard let best else {
      return Entitlement(plan: catalogue.plans[0], basis: .everybody, facts: [], until: nil)
    }
    return Entitlement(
      plan: catalogue.plans[best.rank], basis: best.basis, facts: best.facts, until: best.until)
  }

  /// Whether a feature may be used. What somebody's safety depends on always may.
  public func allows(_ feature: String, in catalogue: PlanCatalogue) -> Bool {
    catalogue.safety.contains(feature) || plan.features.contains(feature)
  }
}

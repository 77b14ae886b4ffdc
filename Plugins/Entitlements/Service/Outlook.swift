import EntitlementsDomain
import KithTime

/// What will change an answer and when, in plain words.
struct Outlook {
  let entitlement: Entitlement
  let subscriptions: [Subscription]
  let feature: String
  let catalogue: PlanCatalogue
  let countsTests: Bool
  let now: Instant

  var sentences: [String] {
    var sentences: [String] = []
    if catalogue.safety.contains(feature) {
      sentences.append("'\(feature)' is a matter of safety, and refused to nobody.")
    }
    switch entitlement.basis {
    case .everybody:
      sentences.append(
        "Nothing that is sold gives a plan; '\(entitlement.plan.name)' is everybody's.")
    case .subscription(_, let status):
      let reason = status == .grace ? "unpaid, and within its store's grace" : "paid"
      if let until = entitlement.until {
        sentences.append("'\(entitlement.plan.name)' is \(reason) until \(until).")
      } else {
        sentences.append("'\(entitlement.plan.name)' is paid for ever.")
      }
    case .silence:
      let end = entitlement.until.map { "\($0)" } ?? "then"
      sentences.append(
        "The store has not been heard since what was paid ended; "
          + "'\(entitlement.plan.name)' stands until \(end).")
    }
    for subscription in subscriptions { sentences += self.sentences(about: subscription) }
    if !entitlement.allows(feature, in: catalogue) {
      let plans = catalogue.plans(with: feature).map { "'\($0)'" }.joined(separator: " or ")
      sentences.append(
        plans.isEmpty
          ? "No plan has '\(feature)'." : "A purchase of \(plans) gives '\(feature)'.")
    }
    return sentences
  }

  private func sentences(about subscription: Subscription) -> [String] {
    let name = "'\(subscription.product)' (\(subscription.origin.rawValue))"
    if subscription.isTest, !countsTests { return ["\(name) is a test, which does not count."] }
    guard catalogue.sells(subscription.product) else {
      return ["\(name) is not among the products of the configuration."]
    }
    switch subscription.status(at: now) {
    case .active:
      return subscription.renews == false && subscription.paidUntil != nil
        ? ["\(name) will not be renewed."] : []
    case .grace, .pending: return []
    case .billingRetry: return ["\(name) gives again as soon as its store is paid."]
    case .paused: return ["\(name) is paused; it gives again when it is paid."]
    case .expired: return ["\(name) is over."]
    case .refunded: return ["\(name) was refunded."]
    case .revoked: return ["\(name) was taken away by its store or the family."]
    case .upgraded: return ["\(name) was replaced by another product."]
    }
  }
}

import BillingContract
import EntitlementsDomain
import KithAccess
import KithTime

extension Instant {
  /// As the contracts count: milliseconds since 1970-01-01T00:00:00Z.
  var contract: Int64 { Int64(milliseconds) }
}

extension EntitlementsDomain.Entitlement {
  /// As the contract has it.
  func message(of user: UserID) -> BillingContract.Entitlement {
    let basis: BillingContract.Basis =
      switch basis {
      case .subscription: .subscription
      case .silence: .silence
      case .everybody: .everybody
      }
    return BillingContract.Entitlement(
      userId: user.text, plan: plan.name, features: plan.features.sorted(), basis: basis,
      untilMs: until?.contract)
  }
}

extension EntitlementsDomain.Subscription {
  /// As the contract has it.
  func message(at now: Instant) -> BillingContract.Subscription {
    BillingContract.Subscription(
      origin: origin.message, id: id, product: product, status: status(at: now).message,
      paidUntilMs: paidUntil?.contract, graceUntilMs: graceUntil?.contract,
      renews: renews ?? false, isFamilyShared: isFamilyShared, isTest: isTest,
      facts: facts.map { Fact(id: $0.id, atMs: $0.at.contract, what: $0.kind.words) })
  }
}

extension StoreFact.Origin {
  fileprivate var message: Origin {
    switch self {
    case .apple: .apple
    case .google: .google
    case .stripe: .stripe
    case .revenueCat: .revenueCat
    }
  }
}

extension EntitlementsDomain.Subscription.Status {
  fileprivate var message: SubscriptionStatus {
    switch self {
    case .active: .active
    case .grace: .grace
    case .billingRetry: .billingRetry
    case .pending: .pending
    case .paused: .paused
    case .expired: .expired
    case .refunded: .refunded
    case .revoked: .revoked
    case .upgraded: .upgraded
    }
  }
}

extension StoreFact.Kind {
  /// What happened, in plain words.
  fileprivate var words: String {
    switch self {
    case .paid(let until): until.map { "paid until \($0)" } ?? "paid for ever"
    case .pending: "not paid yet"
    case .unpaid(let until):
      "a renewal was not paid" + (until.map { "; grace until \($0)" } ?? "")
    case .held: "a renewal was not paid, and nothing is given"
    case .paused(let until): "paused" + (until.map { " until \($0)" } ?? "")
    case .expired: "over"
    case .refunded: "refunded"
    case .refundReversed: "the refund was reversed"
    case .revoked: "taken away"
    case .upgraded: "replaced by another product"
    case .renewal(let isOn): isOn ? "will be renewed" : "will not be renewed"
    }
  }
}

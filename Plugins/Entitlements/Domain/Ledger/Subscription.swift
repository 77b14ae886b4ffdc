public import KithTime

/// What the facts of a subscription come to: a pure fold, the same for any order of arrival.
public struct Subscription: Sendable, Hashable {
  /// What it is at a moment.
  public enum Status: String, Sendable, Hashable {
    /// Paid.
    case active
    /// Not paid, and given all the same.
    case grace
    /// Not paid, and tried again.
    case billingRetry = "billing_retry"
    /// Wanted, and never paid.
    case pending
    /// Paused by the person.
    case paused
    /// Over.
    case expired
    /// The money went back.
    case refunded
    /// Taken away.
    case revoked
    /// Replaced by another product.
    case upgraded

    /// Whether it gives what it was bought for.
    public var gives: Bool { self == .active || self == .grace }
  }

  /// What took it away, whatever was paid.
  private enum End: Sendable, Hashable {
    case expired, refunded, revoked, upgraded
  }

  /// The subscription.
  public let id: String
  /// Who sells it.
  public let origin: StoreFact.Origin
  /// What it is for now.
  public private(set) var product: String
  /// Paid until then; nil for ever, or never.
  public private(set) var paidUntil: Instant?
  /// Given until then although it is not paid.
  public private(set) var graceUntil: Instant?
  /// Whether it will be renewed.
  public private(set) var renews: Bool?
  /// Whether a family member bought it.
  public private(set) var isFamilyShared: Bool
  /// Whether no money was meant.
  public private(set) var isTest: Bool
  /// The newest fact, by the store's clock.
  public private(set) var knownAt: Instant
  /// The facts that it rests on, the oldest first.
  public private(set) var facts: [StoreFact] = []

  private var wasPaid = false
  /// The payment that counts now.
  private var purchase = ""
  private var isUnpaid = false
  private var isPaused = false
  private var end: End?
  /// What a refund took, for when it is reversed.
  private var beforeRefund: End??

  /// The subscriptions of some facts, by id.
  public static func fold(_ facts: some Sequence<StoreFact>) -> [Subscription] {
    var byKey: [String: [StoreFact]] = [:]
    for fact in facts {
      byKey["\(fact.origin.rawValue)/\(fact.subscription)", default: []].append(fact)
    }
    return byKey.values.compactMap { Subscription($0) }.sorted {
      ($0.origin.rawValue, $0.id) < ($1.origin.rawValue, $1.id)
    }
  }

  /// What the facts of one subscription come to; nil of none.
  private init?(_ all: [StoreFact]) {
    var seen: Set<String> = []
    // Of two notices of one name the first in order counts, whichever came first.
    let facts = all.sorted().filter { seen.insert($0.id).inserted }
    guard let first = facts.first else { return nil }
    (id, origin, product) = (first.subscription, first.origin, first.product)
    (isFamilyShared, isTest, knownAt) = (first.isFamilyShared, first.isTest, first.at)
    self.facts = facts
    for fact in facts { apply(fact) }
  }

  private mutating func apply(_ fact: StoreFact) {
    knownAt = fact.at
    isTest = isTest || fact.isTest
    switch fact.kind {
    case .paid(let until):
      (product, paidUntil, graceUntil) = (fact.product, until, nil)
      (wasPaid, isUnpaid, isPaused, end) = (true, false, false, nil)
      (isFamilyShared, purchase) = (fact.isFamilyShared, fact.purchase)
      renews = renews ?? true
    case .pending: break
    case .unpaid(let graceUntil): (isUnpaid, self.graceUntil) = (true, graceUntil)
    case .held: (isUnpaid, graceUntil) = (true, nil)
    case .paused: isPaused = true
    case .expired: (end, renews) = (.expired, false)
    // What was paid back was another payment than the one that counts now.
    case .refunded where isOfAnother(fact), .revoked where isOfAnother(fact): break
    case .refunded:
      if end != .refunded { beforeRefund = .some(end) }
      end = .refunded
    case .refundReversed:
      if end == .refunded, let before = beforeRefund { end = before }
    case .revoked: end = .revoked
    case .upgraded: end = .upgraded
    case .renewal(let isOn): renews = isOn
    }
  }

  /// Whether a fact is about another payment than the one that counts now.
  private func isOfAnother(_ fact: StoreFact) -> Bool {
    !fact.purchase.isEmpty && !purchase.isEmpty && fact.purchase != purchase
  }

  /// What it is at a moment.
  public func status(at now: Instant) -> Status {
    switch end {
    case .refunded: return .refunded
    case .revoked: return .revoked
    case .upgraded: return .upgraded
    case .expired: return .expired
    case nil: break
    }
    guard wasPaid else { return .pending }
    if isPaused { return .paused }
    guard let paidUntil else { return .active }
    // Who has paid has what was paid for, also while a renewal fails ahead of its time.
    if now < paidUntil { return .active }
    if isUnpaid { return graceUntil.map { now < $0 } ?? false ? .grace : .billingRetry }
    return .expired
  }

  /// Until when it gives, by what is known; nil if it gives nothing, or for ever.
  public func givesUntil(at now: Instant) -> Instant? {
    switch status(at: now) {
    case .active: paidUntil.map { isUnpaid ? max($0, graceUntil ?? $0) : $0 }
    case .grace: graceUntil
    default: nil
    }
  }

  /// Whether its time has run out without a word of the store, which may have renewed it: nothing
  /// was heard since.
  func isSilent(at now: Instant) -> Bool {
    guard end == nil, wasPaid, !isPaused, !isUnpaid, renews != false, let paidUntil else {
      return false
    }
    return now >= paidUntil
  }
}

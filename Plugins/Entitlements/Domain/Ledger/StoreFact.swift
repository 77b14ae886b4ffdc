public import KithTime

/// Something that a store said of a subscription, as it was verified.
///
/// Facts arrive late, twice and in any order; what they come to depends on none of that.
public struct StoreFact: Sendable, Hashable {
  /// Who said it.
  public enum Origin: String, Sendable, Hashable, CaseIterable {
    case apple, google, stripe
    case revenueCat = "revenue_cat"
  }

  /// What happened.
  public enum Kind: Sendable, Hashable {
    /// Bought, renewed or recovered: paid until then; nil for ever.
    case paid(until: Instant?)
    /// Wanted, and not paid yet.
    case pending
    /// A renewal was not paid; until then the store gives grace, if it does.
    case unpaid(graceUntil: Instant?)
    /// The store has given up on the renewal for now, and gives nothing.
    case held
    /// The person has paused it; it begins again then.
    case paused(until: Instant?)
    /// It has come to its end.
    case expired
    /// The money went back.
    case refunded
    /// The money stays after all.
    case refundReversed
    /// Taken away: by the store, or by the family member who shared it.
    case revoked
    /// Replaced by another product before its end.
    case upgraded
    /// Whether it will be renewed at its end.
    case renewal(isOn: Bool)
  }

  /// Who said it.
  public var origin: Origin
  /// What the store calls the notice, for ever: the same one twice counts once.
  public var id: String
  /// What the store calls the subscription, across its renewals.
  public var subscription: String
  /// What was bought.
  public var product: String
  /// What the store calls the one payment that it is about; empty where it is about the
  /// subscription.
  public var purchase: String
  /// When it was so, by the store's own clock.
  public var at: Instant
  /// What happened.
  public var kind: Kind
  /// Whether a family member bought it.
  public var isFamilyShared: Bool
  /// Whether no money was meant: a sandbox, a licence tester.
  public var isTest: Bool

  /// A fact.
  public init(
    origin: Origin, id: String, subscription: String, product: String, at: Instant, kind: Kind,
    purchase: String = "", isFamilyShared: Bool = false, isTest: Bool = false
  ) {
    (self.origin, self.id, self.subscription, self.product) = (origin, id, subscription, product)
    (self.at, self.kind, self.purchase) = (at, kind, purchase)
    (self.isFamilyShared, self.isTest) = (isFamilyShared, isTest)
  }
}

extension StoreFact: Comparable {
  /// By the store's own time; of the same moment, what gives comes before what takes.
  public static func < (left: StoreFact, right: StoreFact) -> Bool {
    left.order < right.order
  }

  private var order: (Int, Int, String, String) {
    (at.milliseconds, kind.rank, origin.rawValue, id)
  }
}

extension StoreFact.Kind {
  fileprivate var rank: Int {
    switch self {
    case .pending: 0
    case .paid: 1
    case .renewal: 2
    case .refundReversed: 3
    case .unpaid: 4
    case .held: 5
    case .paused: 6
    case .upgraded: 7
    case .expired: 8
    case .refunded: 9
    case .revoked: 10
    }
  }
}

/// The kind of a scam, as the contract names it.
public enum ScamCategory: Int, CaseIterable, Sendable {
  /// The kinds, in the order of the contract.
  case governmentImpersonation = 1, bankImpersonation, businessImpersonation, delivery, toll, prize
  /// More kinds.
  case job, romance, investment, techSupport, familyEmergency, credentialTheft, moneyOffer, other
  /// Kinds that were added later.
  case extortion, falseCharge

  /// The name in the rule file and in contacts: `bank_impersonation`.
  public var name: String {
    switch self {
    case .governmentImpersonation: "government_impersonation"
    case .bankImpersonation: "bank_impersonation"
    case .businessImpersonation: "business_impersonation"
    case .delivery: "delivery"
    case .toll: "toll"
    case .prize: "prize"
    case .job: "job"
    case .romance: "romance"
    case .investment: "investment"
    case .techSupport: "tech_support"
    case .familyEmergency: "family_emergency"
    case .credentialTheft: "credential_theft"
    case .moneyOffer: "money_offer"
    case .other: "other"
    case .extortion: "extortion"
    case .falseCharge: "false_charge"
    }
  }

  /// The kind with that name.
  public init?(name: String) {
    guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = match
  }
}

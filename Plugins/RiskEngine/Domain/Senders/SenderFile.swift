/// The well-known senders that scammers pose as, as they are written: what they are called, and
/// which addresses are their own.
public struct SenderFile: Codable, Sendable {
  /// What a sender does.
  public enum Kind: String, Codable, Sendable, CaseIterable {
    /// A public agency, a bank, a payment service, a carrier of parcels, a road toll.
    case agency, bank, payment, carrier, toll
    /// A shop, a health company or pharmacy, a telephone or internet company, another company.
    case shop, health, telecom, company
    /// A crypto exchange or wallet, a broker, a seller of protection software.
    case crypto, investment, security

    /// The kind of scam that poses as such a sender.
    var posedAs: ScamCategory {
      switch self {
      case .agency: .governmentImpersonation
      case .bank, .payment: .bankImpersonation
      case .carrier: .delivery
      case .toll: .toll
      case .crypto, .investment: .investment
      case .shop, .health, .telecom, .company, .security: .businessImpersonation
      }
    }
  }

  /// A company or an agency.
  public struct Sender: Codable, Sendable {
    /// The stable name: `irs`.
    public var id: String
    /// What people call it: `the IRS`.
    public var name: String
    /// What it does.
    public var kind: Kind
    /// The registrable domains that are its own.
    public var domains: String
    /// How texts name it, phrases as in the rule file. None when the name is an everyday word.
    public var names: [String]?
    /// The telephone numbers that it publishes, in E.164, parted by spaces. None when they are not
    /// known.
    public var numbers: String?
    /// When it is at work, where that differs from its kind.
    public var hours: OfficeHours?
  }

  /// The version of the list.
  public var version: String
  /// When senders of a kind are at work; a kind that is not here may write at any hour.
  public var hours: [String: OfficeHours]
  /// The senders.
  public var senders: [Sender]
}

/// The kinds of personal data that are found.
///
/// Names follow the field's standard terms; the raw value is the number in the contract, and never
/// changes.
public enum PersonalDataType: UInt8, CaseIterable, Hashable, Sendable {
  /// A payment card's number (PAN) of 12 to 19 digits, by its issuer's range and Luhn's sum.
  case paymentCard = 1
  /// A US Social Security number.
  case socialSecurityNumber = 2
  /// A US individual taxpayer identification number.
  case taxpayerNumber = 3
  /// An international bank account number, ISO 13616.
  case iban = 4
  /// A wallet's address: Bitcoin, Litecoin, Ethereum, Tron.
  case walletAddress = 5
  /// A Medicare beneficiary identifier.
  case medicareBeneficiary = 6
  /// An ABA routing transit number of a US bank.
  case bankRouting = 7
  /// A bank account's number; found only where the text says so.
  case bankAccount = 8
  /// An e-mail address.
  case emailAddress = 9
  /// A telephone number with its extension.
  case phoneNumber = 10
  /// A street address or post office box, with unit, city, state and ZIP code where they follow.
  case streetAddress = 11
  /// A date of birth; found only where the text says so.
  case dateOfBirth = 12
  /// A driver's licence number; found only where the text says so.
  case driversLicense = 13
  /// A passport's number; found only where the text says so.
  case passport = 14
  /// A vehicle identification number, ISO 3779.
  case vehicle = 15
  /// A US national provider identifier.
  case nationalProvider = 16
  /// A registration number of the US Drug Enforcement Administration.
  case deaRegistration = 17
  /// An IPv4 or IPv6 address, with its prefix length.
  case ipAddress = 18
  /// A hardware address, IEEE EUI-48.
  case macAddress = 19
  /// User and password in a URL.
  case urlCredentials = 20
  /// A one-time code or PIN; found only where the text says so.
  case oneTimeCode = 21
  /// A card's security code (CVV); found only where the text says so.
  case cardSecurityCode = 22

  /// The name in placeholders and counts: `PAYMENT_CARD`.
  public var name: String {
    switch self {
    case .paymentCard: "PAYMENT_CARD"
    case .socialSecurityNumber: "SSN"
    case .taxpayerNumber: "ITIN"
    case .iban: "IBAN"
    case .walletAddress: "WALLET_ADDRESS"
    case .medicareBeneficiary: "MEDICARE_ID"
    case .bankRouting: "BANK_ROUTING"
    case .bankAccount: "BANK_ACCOUNT"
    case .emailAddress: "EMAIL"
    case .phoneNumber: "PHONE"
    case .streetAddress: "ADDRESS"
    case .dateOfBirth: "DATE_OF_BIRTH"
    case .driversLicense: "DRIVERS_LICENSE"
    case .passport: "PASSPORT"
    case .vehicle: "VIN"
    case .nationalProvider: "NPI"
    case .deaRegistration: "DEA_NUMBER"
    case .ipAddress: "IP_ADDRESS"
    case .macAddress: "MAC_ADDRESS"
    case .urlCredentials: "URL_CREDENTIALS"
    case .oneTimeCode: "ONE_TIME_CODE"
    case .cardSecurityCode: "CARD_SECURITY_CODE"
    }
  }

  /// What stands in a scrubbed text in its place: `[REDACTED_PAYMENT_CARD]`.
  public var placeholder: String { "[REDACTED_\(name)]" }

  /// Which type a placeholder stands for; nil when it is none.
  public init?(placeholder: String) {
    guard let type = Self.allCases.first(where: { $0.placeholder == placeholder }) else {
      return nil
    }
    self = type
  }

  /// Whether a text with a confirmed one must not leave the device in any form, a feature vector
  /// included.
  public var stopsTransmission: Bool {
    switch self {
    case .paymentCard, .socialSecurityNumber, .taxpayerNumber: true
    default: false
    }
  }
}

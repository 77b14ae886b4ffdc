import DeliveryContract
public import FamilyAlertsDomain
import KithAccess
public import KithStore

/// An address of a contact as a row.
struct StoredAddress {
  let id: String
  let user: UserID
  let contact: String
  var position: Int
  let channel: ContactChannel
  let value: Sealed<String>
  let provider: String
  var isVerified = false
  var hasOptedOut = false
  var isGone = false

  /// As the delivery worker takes it; nil if its value is lost.
  var message: Address? {
    value.intact.map {
      Address(channel: Channel(channel), value: $0, provider: provider)
    }
  }

}

extension StoredAddress: UserRecord {
  static let table = "address"

  init(_ row: RecordReader) throws {
    self.init(
      id: try row["id"], user: try row.user(), contact: try row["contact_id"],
      position: try row["position"], channel: try row["channel"], value: try row["value"],
      provider: try row["provider"], isVerified: try row["is_verified"],
      hasOptedOut: try row["has_opted_out"], isGone: try row["is_gone"])
  }

  func write(to row: inout RecordWriter) throws {
    row.set("contact_id", contact)
    row.set("position", position)
    row.set("channel", channel)
    try row.set("value", value)
    row.setIndex("value_index", value)
    row.set("provider", provider)
    row.set("is_verified", isVerified)
    row.set("has_opted_out", hasOptedOut)
    row.set("is_gone", isGone)
  }
}

extension ContactChannel: StoreConvertible {
  /// The channel of a contract's value; nil for one that names none.
  init?(_ channel: Channel) {
    switch channel {
    case .push: self = .push
    case .sms: self = .sms
    case .email: self = .email
    case .webhook: self = .webhook
    case .call: self = .call
    default: return nil
    }
  }
}

extension Channel {
  /// As the contract has it.
  init(_ channel: ContactChannel) {
    switch channel {
    case .push: self = .push
    case .sms: self = .sms
    case .email: self = .email
    case .webhook: self = .webhook
    case .call: self = .call
    }
  }
}

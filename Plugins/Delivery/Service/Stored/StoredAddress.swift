import DeliveryContract
import DeliveryDomain
import KithAccess
import KithStore
import KithTime

/// A registered address as a row.
struct StoredAddress {
  let id: String
  let user: UserID
  let channel: MessageChannel
  var provider: String
  let value: Sealed<String>
  var registeredAt: Instant
  /// Whether messages are wanted there.
  var isWanted = true

  /// As the contract has it.
  var message: RegisteredAddress {
    RegisteredAddress(
      id: id, userId: user.text, channel: Channel(channel),
      hint: value.intact.map { String($0.suffix(4)) } ?? "", registeredAtMs: registeredAt.contract)
  }
}

extension StoredAddress: UserRecord {
  static let table = "address"

  init(_ row: RecordReader) throws {
    self.init(
      id: try row["id"], user: try row.user(), channel: try row["channel"],
      provider: try row["provider"], value: try row["value"],
      registeredAt: Instant(milliseconds: try row["registered_at_ms"]),
      isWanted: try row["is_wanted"])
  }

  func write(to row: inout RecordWriter) throws {
    row.set("channel", channel)
    row.set("provider", provider)
    try row.set("value", value)
    row.setIndex("value_index", value)
    row.set("registered_at_ms", registeredAt.milliseconds)
    row.set("is_wanted", isWanted)
  }
}

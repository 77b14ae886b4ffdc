import DeliveryContract
import DeliveryDomain
import KithAccess
import KithStore
import KithTime

/// What providers and people say of addresses, in a transaction.
struct Registry {
  let transaction: WriteTransaction
  let now: Instant

  /// Notes why an address was refused.
  /// - Parameter time: since when the provider says so; an address that was registered later is not
  ///   meant.
  func note(
    _ kind: FailureKind, at address: String, _ row: StoredMessage, before time: Instant
  ) throws {
    switch kind {
    case .addressGone:
      for known in try addresses(row.channel, address) where known.registeredAt <= time {
        try transaction.delete(StoredAddress.self, id: known.id, under: Outbox.ownGrant)
      }
    case .optedOut:
      try want(false, row.channel, address, about: row.user, key: "\(row.id)/opted-out")
    default: break
    }
  }

  /// Notes whether messages are wanted at an address, and tells of it.
  func want(
    _ isWanted: Bool, _ channel: MessageChannel, _ address: String, about user: UserID,
    key: String
  ) throws {
    for var known in try addresses(channel, address) where known.isWanted != isWanted {
      known.isWanted = isWanted
      try transaction.update(known, columns: ["is_wanted"], under: Outbox.ownGrant)
    }
    try transaction.append(
      ConsentChanged(
        key: key, channel: Channel(channel), address: address, isWanted: isWanted),
      about: user, at: now.contract)
  }

  /// The registered addresses of a value, whoever has them.
  func addresses(_ channel: MessageChannel, _ value: String) throws -> [StoredAddress] {
    let index = transaction.index(of: value, in: StoredAddress.self, "value_index")
    return try transaction.records(
      StoredAddress.self, where: "value_index = \(index) AND channel = \(channel)",
      orderedBy: "id", limit: 100, under: Outbox.ownGrant)
  }
}

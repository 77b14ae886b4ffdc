public import DeliveryContract
import DeliveryDomain
import FoundationEssentials
import KithAccess
public import KithRPC
import KithStore
import KithTime

/// How people are reached with what workers tell of them by event.
extension DeliveryService {
  /// The most addresses of one person.
  private static let mostAddresses = 50

  /// Registers an address; one that is known gets the new time.
  public func registerAddress(
    _ request: RegisterAddressRequest, context: CallContext
  ) async throws -> RegisteredAddress {
    let user = try subject(request.userId, context)
    guard let stated = request.address, let channel = MessageChannel(stated.channel) else {
      throw RPCError.invalidArgument(
        field: "address.channel", "expected PUSH, SMS, EMAIL, WEBHOOK or CALL")
    }
    let value = try channel.checked(stated.value)
    let hint = try MessageDraft.hint(stated.provider)
    let now = outbox.now()
    let time = request.registeredAtMs.map { min(Instant(milliseconds: Int($0)), now) } ?? now
    return try await store.write { transaction in
      let grant = try self.allow(.change, on: user, context, transaction)
      let registry = Registry(transaction: transaction, now: now)
      var address = try registry.addresses(channel, value).first { $0.user == user }
      if address == nil {
        let count = try transaction.count(
          of: StoredAddress.self, where: "user_id = \(user)", under: Outbox.ownGrant)
        guard count < Self.mostAddresses else {
          throw RPCError(
            .resourceExhausted, "a person may have \(Self.mostAddresses) addresses: remove one")
        }
      }
      if let known = address, known.registeredAt > time, known.provider == hint {
        return known.message
      }
      address =
        address
        ?? StoredAddress(
          id: UUID().uuidString.lowercased(), user: user, channel: channel, provider: hint,
          value: Sealed(value), registeredAt: time)
      guard var saved = address else { throw RPCError(.internal, "no address was made") }
      (saved.provider, saved.registeredAt) = (hint, max(saved.registeredAt, time))
      try transaction.save(saved, under: grant)
      return saved.message
    }
  }

  /// Forgets an address.
  public func removeAddress(
    _ request: RemoveAddressRequest, context: CallContext
  ) async throws -> RemoveAddressResponse {
    try await store.write { transaction in
      let grant = try self.access(context, transaction).grantAll(.change)
      _ = try transaction.delete(StoredAddress.self, id: request.id, under: grant)
    }
    return RemoveAddressResponse()
  }

  /// The addresses of a person.
  public func listAddresses(
    _ request: ListAddressesRequest, context: CallContext
  ) async throws -> ListAddressesResponse {
    let user = try subject(request.userId, context)
    return try await store.read { transaction in
      let grant = try self.allow(.read, on: user, context, transaction)
      let rows = try transaction.records(
        StoredAddress.self, where: "user_id = \(user)", orderedBy: "registered_at_ms DESC, id",
        limit: Self.mostAddresses, under: grant)
      return ListAddressesResponse(addresses: rows.map(\.message))
    }
  }
}

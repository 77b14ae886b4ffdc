/// One address of a contact, without the address itself.
public struct Route: Sendable, Hashable {
  /// The id of the address.
  public let address: String
  /// Its channel.
  public let channel: ContactChannel

  /// A route.
  public init(address: String, channel: ContactChannel) {
    self.address = address
    self.channel = channel
  }
}

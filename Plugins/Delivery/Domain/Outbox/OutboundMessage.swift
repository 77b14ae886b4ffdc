public import KithTime

/// A message as a provider gets it.
public struct OutboundMessage: Sendable, Equatable {
  /// Its id, a UUID that follows from its dedupe key: however often it is sent, it is one message.
  public var id: String
  /// By which way.
  public var channel: MessageChannel
  /// A telephone number, a mail address, a push token or an https address.
  public var address: String
  /// What it says.
  public var content: MessageContent
  /// A later message with the same one takes its place; empty for none.
  public var collapseID: String
  /// How urgent it is.
  public var urgency: Urgency
  /// When it was accepted.
  public var acceptedAt: Instant
  /// From when on it is not worth delivering.
  public var expiresAt: Instant

  /// A message.
  public init(
    id: String, channel: MessageChannel, address: String, content: MessageContent,
    collapseID: String = "", urgency: Urgency = .normal, acceptedAt: Instant, expiresAt: Instant
  ) {
    self.id = id
    self.channel = channel
    self.address = address
    self.content = content
    self.collapseID = collapseID
    self.urgency = urgency
    self.acceptedAt = acceptedAt
    self.expiresAt = expiresAt
  }
}

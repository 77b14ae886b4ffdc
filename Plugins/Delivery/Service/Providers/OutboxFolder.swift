public import DeliveryDomain
import FoundationEssentials
import KithJSON
import KithTime

/// A folder in place of a provider: a mail becomes a file that mail programs open (`.eml`),
/// anything else one of JSON. Nothing leaves the machine.
///
/// A file is there whole or not at all, and has the name of its message: to deliver one twice
/// writes the same file. It goes when the message's content is wiped.
public struct OutboxFolder: DeliveryProvider {
  private let path: String
  private let sender: MailAddress

  /// A folder, which is made when it is first needed.
  public init(path: String, sender: MailAddress) {
    self.path = path
    self.sender = sender
  }

  /// `outbox`
  public var name: String { "outbox" }

  /// Yes: they are one file.
  public func makesRepeatsOne(_ message: OutboundMessage) -> Bool { true }

  /// Writes the file.
  public func deliver(_ message: OutboundMessage) async -> AttemptOutcome {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      let (file, bytes) = content(of: message)
      try Data(bytes).write(to: URL(filePath: "\(path)/\(file)"), options: .atomic)
      return .accepted(providerID: file)
    } catch {
      return .later(.unavailable, "outbox: the folder cannot be written")
    }
  }

  /// Removes the message's file.
  public func forget(message id: String, of channel: MessageChannel) {
    for ending in ["eml", "json"] {
      let file = "\(path)/\(Self.name(of: id, channel)).\(ending)"
      try? FileManager.default.removeItem(atPath: file)
    }
  }

  private static func name(of id: String, _ channel: MessageChannel) -> String {
    "\(channel.rawValue)-\(id)"
  }

  private func content(of message: OutboundMessage) -> (file: String, bytes: [UInt8]) {
    let name = Self.name(of: message.id, message.channel)
    if message.channel == .email, let recipient = MailAddress(message.address) {
      let mail = MailMessage(
        from: sender, to: recipient, content: message.content, date: message.acceptedAt,
        id: message.id, collapseID: message.collapseID, urgency: message.urgency)
      return ("\(name).eml", mail.bytes)
    }
    let object: JSONObject = [
      "id": .string(message.id), "channel": .string(message.channel.rawValue),
      "address": .string(message.address), "title": .string(message.content.title),
      "body": .string(message.content.body), "data": .object(message.content.data),
      "actions": .array(message.content.actions.map { .string($0) }),
      "caller_name": .string(message.content.callerName),
      "collapse_id": .string(message.collapseID), "priority": .string("\(message.urgency)"),
      "accepted_at_ms": .integer(Int64(message.acceptedAt.milliseconds)),
      "expires_at_ms": .integer(Int64(message.expiresAt.milliseconds)),
    ]
    return ("\(name).json", Array((JSONValue.object(object).text(pretty: true) + "\n").utf8))
  }
}

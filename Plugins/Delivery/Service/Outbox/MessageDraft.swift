import Crypto
import DeliveryDomain
import KithAccess
import KithStore
import KithTime

/// A message that is to be taken into the outbox.
struct MessageDraft: Sendable {
  var dedupeKey: String
  var user: UserID
  var channel: MessageChannel
  var address: String
  var providerHint = ""
  var content: MessageContent
  var collapseID = ""
  var urgency = Urgency.normal
  var retries: OutboxEntry.Retries
  var expiresAt: Instant
  /// W3C Trace Context of the call that it came from.
  var traceparent = ""

  /// Its id.
  var id: String { Self.id(of: dedupeKey) }

  /// The row of a message that is accepted now.
  func stored(provider: String, at now: Instant) -> StoredMessage {
    StoredMessage(
      id: id, dedupeKey: dedupeKey, user: user, channel: channel, provider: provider,
      providerHint: providerHint, urgency: urgency, collapseID: collapseID, acceptedAt: now,
      entry: OutboxEntry(retries: retries, expiresAt: expiresAt, acceptedAt: now),
      address: Sealed(address), content: Sealed(content.stored), wipeAt: nil)
  }

  /// A UUID of a dedupe key (RFC 9562, version 8), the same for ever and everywhere.
  static func id(of dedupeKey: String) -> String {
    var bytes = Array(SHA256.hash(data: Array("kith.delivery.v1/\(dedupeKey)".utf8)).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }
    return groups.joined(separator: "-")
  }
}

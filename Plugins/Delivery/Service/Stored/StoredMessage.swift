import DeliveryContract
public import DeliveryDomain
import KithAccess
public import KithStore
import KithTime

/// A message as a row of the outbox.
struct StoredMessage {
  /// A UUID that follows from the dedupe key.
  let id: String
  let dedupeKey: String
  let user: UserID
  let channel: MessageChannel
  /// The provider's name; empty when none is configured.
  var provider: String
  /// Which push service the address is of.
  let providerHint: String
  let urgency: Urgency
  let collapseID: String
  var acceptedAt: Instant
  var entry: OutboxEntry
  /// nil once they are wiped.
  var address: Sealed<String>?
  var content: Sealed<String>?
  /// When they are; nil when they are.
  var wipeAt: Instant?

  /// What it shares with those that keep their order with it; nil for none.
  var order: String? {
    guard !collapseID.isEmpty, let address = address?.intact else { return nil }
    return "\(channel.rawValue)\n\(address)\n\(collapseID)"
  }

  /// Whether one of its order takes the place of those before it on a screen.
  var replacesEarlier: Bool { channel == .push || channel == .call }

  /// As a provider gets it; nil when its address or content is wiped or damaged.
  var outbound: OutboundMessage? {
    guard let address = address?.intact, let content = content?.intact.flatMap(MessageContent.init)
    else { return nil }
    return OutboundMessage(
      id: id, channel: channel, address: address, content: content, collapseID: collapseID,
      urgency: urgency, acceptedAt: acceptedAt, expiresAt: entry.expiresAt)
  }

  /// The columns that a life that has gone on changes.
  static let changing: Set<String> = [
    "provider", "state", "lease", "attempts", "next_attempt_ms", "failure", "reason",
    "handed_over_at_ms", "delivered_at_ms", "provider_id", "ended_at_ms", "next_step_ms",
    "wipe_at_ms",
  ]
}

extension OutboxState: StoreConvertible {}
extension FailureKind: StoreConvertible {}
extension MessageChannel: StoreConvertible {}
extension OutboxEntry.Retries: StoreConvertible {}

extension StoredMessage: UserRecord {
  static let table = "message"

  init(_ row: RecordReader) throws {
    let entry = OutboxEntry(
      retries: try row["retries"], expiresAt: Instant(milliseconds: try row["expires_at_ms"]),
      state: try row["state"], lease: try row["lease"], attempts: try row["attempts"],
      nextAttempt: try row.instant("next_attempt_ms"), failure: try row["failure"],
      reason: try row["reason"], handedOverAt: try row.instant("handed_over_at_ms"),
      deliveredAt: try row.instant("delivered_at_ms"), providerID: try row["provider_id"],
      endedAt: try row.instant("ended_at_ms"))
    self.init(
      id: try row["id"], dedupeKey: try row["dedupe_key"], user: try row.user(),
      channel: try row["channel"], provider: try row["provider"],
      providerHint: try row["provider_hint"],
      urgency: Urgency(rawValue: try row["urgency"]) ?? .normal,
      collapseID: try row["collapse_id"],
      acceptedAt: Instant(milliseconds: try row["accepted_at_ms"]), entry: entry,
      address: try row["address"], content: try row["content"],
      wipeAt: try row.instant("wipe_at_ms"))
  }

  func write(to row: inout RecordWriter) throws {
    row.set("dedupe_key", dedupeKey)
    row.set("channel", channel)
    row.set("provider", provider)
    row.set("provider_hint", providerHint)
    row.set("retries", entry.retries)
    row.set("urgency", urgency.rawValue)
    row.set("collapse_id", collapseID)
    row.set("accepted_at_ms", acceptedAt.milliseconds)
    row.set("expires_at_ms", entry.expiresAt.milliseconds)
    row.set("state", entry.state)
    row.set("lease", entry.lease)
    row.set("attempts", entry.attempts)
    row.set("next_attempt_ms", entry.nextAttempt?.milliseconds)
    row.set("failure", entry.failure)
    row.set("reason", entry.reason)
    row.set("handed_over_at_ms", entry.handedOverAt?.milliseconds)
    row.set("delivered_at_ms", entry.deliveredAt?.milliseconds)
    row.set("provider_id", entry.providerID)
    row.set("ended_at_ms", entry.endedAt?.milliseconds)
    row.set("next_step_ms", entry.nextStep?.milliseconds)
    try row.set("address", address)
    try row.set("content", content)
    row.setIndex("address_index", address)
    row.setIndex("order_index", order.map { Sealed($0) })
    row.set("wipe_at_ms", wipeAt?.milliseconds)
  }
}

extension StoredMessage {
  /// As the contract has it.
  var message: Message {
    Message(
      id: id, dedupeKey: dedupeKey, userId: user.text, channel: Channel(channel),
      provider: provider, state: DeliveryState(entry.state),
      failure: entry.failure.map(FailureClass.init) ?? .unspecified, failureReason: entry.reason,
      attemptCount: UInt32(clamping: entry.attempts), acceptedAtMs: acceptedAt.contract,
      handedOverAtMs: entry.handedOverAt?.contract, deliveredAtMs: entry.deliveredAt?.contract,
      nextAttemptMs: entry.nextAttempt?.contract, providerId: entry.providerID)
  }

  /// The event that tells of its state.
  var changed: MessageChanged {
    MessageChanged(
      dedupeKey: dedupeKey, messageId: id, state: DeliveryState(entry.state),
      failure: entry.failure.map(FailureClass.init) ?? .unspecified, failureReason: entry.reason)
  }
}

extension RecordReader {
  func instant(_ column: String) throws -> Instant? {
    (try self[column] as Int?).map { Instant(milliseconds: $0) }
  }
}

extension Instant {
  /// As the contracts count: milliseconds since 1970-01-01T00:00:00Z.
  var contract: Int64 { Int64(milliseconds) }
}

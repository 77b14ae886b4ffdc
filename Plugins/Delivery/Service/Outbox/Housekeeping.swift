import DeliveryDomain
import KithStore
public import KithTime

/// What time alone does to the outbox: messages expire, and addresses and contents are wiped some
/// time after their end.
public struct Housekeeping: Sendable {
  /// How long the record of a reply is kept, by which a repeat of it is known.
  private static let replyLife = Duration.seconds(30 * 86_400)

  let outbox: Outbox

  /// When there is something to do next; nil for never.
  public func nextDue() async throws -> Instant? {
    try await outbox.store.read { transaction in
      let expiry: Int? = try transaction.minimum(
        of: "expires_at_ms", in: StoredMessage.self, where: "next_step_ms IS NOT NULL",
        under: Outbox.ownGrant)
      let wipe: Int? = try transaction.minimum(
        of: "wipe_at_ms", in: StoredMessage.self, where: "wipe_at_ms IS NOT NULL",
        under: Outbox.ownGrant)
      let reply: Int? = try transaction.minimum(
        of: "taken_at_ms", in: StoredReply.self, under: Outbox.ownGrant)
      let times =
        [expiry, wipe].compactMap(\.self).map { Instant(milliseconds: $0) }
        + (reply.map { [Instant(milliseconds: $0) + Self.replyLife] } ?? [])
      return times.min()
    }
  }

  /// Does a part of what is due.
  public func run(at now: Instant) async throws {
    let oldest = now - Self.replyLife
    // Before the rows are, so that a process that ends in between does it again.
    try await forgetFiles(at: now)
    try await outbox.store.write { [outbox] transaction in
      let late = try transaction.records(
        StoredMessage.self,
        where: "next_step_ms IS NOT NULL AND expires_at_ms <= \(now.milliseconds)",
        orderedBy: "expires_at_ms", limit: Outbox.batch, under: Outbox.ownGrant)
      for var row in late { try outbox.change(&row, "", transaction) { $0.expire(at: now) } }
      try transaction.execute(
        """
        UPDATE message SET address_sealed = NULL, content_sealed = NULL, address_index = NULL,
          order_index = NULL, wipe_at_ms = NULL
        WHERE id IN (SELECT id FROM message
          WHERE wipe_at_ms IS NOT NULL AND wipe_at_ms <= \(now.milliseconds)
          ORDER BY wipe_at_ms LIMIT \(Outbox.batch))
        """)
      try transaction.deleteAll(
        StoredReply.self, where: "taken_at_ms <= \(oldest.milliseconds)", under: Outbox.ownGrant)
    }
  }

  /// Has the providers remove what they keep of the messages that are wiped now.
  private func forgetFiles(at now: Instant) async throws {
    let messages = try await outbox.store.read { transaction in
      try transaction.rows(
        """
        SELECT id, channel, provider FROM message
        WHERE wipe_at_ms IS NOT NULL AND wipe_at_ms <= \(now.milliseconds)
        ORDER BY wipe_at_ms LIMIT \(Outbox.batch)
        """
      ).map { row -> (id: String, channel: MessageChannel?, provider: String) in
        (try row["id"], MessageChannel(rawValue: try row["channel"]), try row["provider"])
      }
    }
    for message in messages {
      guard let channel = message.channel else { continue }
      outbox.providers.provider(named: message.provider, of: channel)?
        .forget(message: message.id, of: channel)
    }
  }
}

import KithAccessStore
public import KithStore

/// The tables of the delivery worker. Addresses and contents are sealed; what is looked for by
/// address is found by its fingerprint.
public enum DeliverySchema {
  /// The steps to the schema of today, the oldest first.
  public static let migrations: [Store.Migration] =
    KnownFamilyLinks.migrations + [
      Store.Migration("delivery 1", creating: [message, address, reply])
    ]

  private static let message = Store.Table(
    "message",
    [
      // A UUID that follows from the dedupe key.
      .text("id"), .text("dedupe_key"), .text("user_id"), .text("channel"), .text("provider"),
      .text("retries"), .integer("urgency"), .text("collapse_id"), .integer("accepted_at_ms"),
      .integer("expires_at_ms"),
      // OutboxEntry
      .text("state"), .text("lease").optional, .integer("attempts"),
      .integer("next_attempt_ms").optional, .text("failure").optional, .text("reason"),
      .integer("handed_over_at_ms").optional, .integer("delivered_at_ms").optional,
      .text("provider_id"), .integer("ended_at_ms").optional,
      // When time alone changes it; NULL for never.
      .integer("next_step_ms").optional,
      // NULL once they are wiped.
      .sealed("address").optional, .sealed("content").optional, .text("provider_hint"),
      .bytes("address_index").optional,
      // Of channel, address and collapse id: those with the same one keep their order.
      .bytes("order_index").optional,
      // When address and content are wiped; NULL when they are.
      .integer("wipe_at_ms").optional,
    ],
    indexes: [
      Store.Index("message_expiry", on: "expires_at_ms", where: "next_step_ms IS NOT NULL"),
      Store.Index(
        "message_next_attempt", on: "channel", "next_attempt_ms",
        where: "next_attempt_ms IS NOT NULL"),
      Store.Index("message_wipe", on: "wipe_at_ms", where: "wipe_at_ms IS NOT NULL"),
      Store.Index("message_lease", on: "lease", where: "lease IS NOT NULL"),
      Store.Index("message_user", on: "user_id", "accepted_at_ms", "id"),
      Store.Index(
        "message_order", on: "order_index", "accepted_at_ms", where: "order_index IS NOT NULL"),
      Store.Index(
        "message_address", on: "address_index", "handed_over_at_ms",
        where: "address_index IS NOT NULL"),
      Store.Index("message_provider_id", on: "provider_id", where: "provider_id <> ''"),
      Store.Index("message_waiting", on: "channel", where: "state = 'waiting'"),
    ])

  /// How people are reached with what workers tell of them by event.
  private static let address = Store.Table(
    "address",
    [
      .text("id"), .text("user_id"), .text("channel"), .text("provider"), .sealed("value"),
      .bytes("value_index"), .integer("registered_at_ms"),
      // Whether messages are wanted there.
      .boolean("is_wanted"),
    ],
    indexes: [
      Store.Index("address_user", on: "user_id", "channel", "value_index", unique: true),
      Store.Index("address_value", on: "value_index"),
    ])

  /// Replies that were taken, so that one that comes twice counts once.
  private static let reply = Store.Table(
    "reply",
    [
      // twilio/ and its SID
      .text("id"), .text("user_id"), .integer("taken_at_ms"),
    ], indexes: [Store.Index("reply_taken", on: "taken_at_ms")], clustered: true)
}

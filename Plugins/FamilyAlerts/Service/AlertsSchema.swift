import KithAccessStore
public import KithStore

/// The tables of the alerts worker. Names, addresses, words and places are encrypted at rest.
public enum AlertsSchema {
  /// The steps to the schema of today, the oldest first.
  public static let migrations: [Store.Migration] =
    KnownFamilyLinks.migrations + [
      Store.Migration(
        "alerts 1",
        creating: [
          contact, address, incident, step, usedToken, verification, day, secret, time, digest,
        ])
    ]

  private static let contact = Store.Table(
    "contact",
    [
      .text("id"), .text("user_id"), .integer("priority"), .integer("created_at_ms"),
      .sealed("name"),
      // `22:00 07:00 America/New_York`
      .sealed("quiet").optional,
      .sealed("family_user").optional, .sealed("consented_at").optional,
      // `digest`, or empty.
      .sealed("wishes"),
      // A fingerprint of its addresses, to find it by.
      .bytes("addresses_index"), .sealed("addresses"),
    ],
    indexes: [
      Store.Index("contact_user", on: "user_id", "priority", "created_at_ms", "id"),
      Store.Index("contact_addresses", on: "user_id", "addresses_index", unique: true),
    ])

  private static let address = Store.Table(
    "address",
    [
      .text("id"), .text("user_id"), .text("contact_id"), .integer("position"), .text("channel"),
      .sealed("value"), .bytes("value_index"), .text("provider"),
      .boolean("is_verified"), .boolean("has_opted_out"), .boolean("is_gone"),
    ],
    indexes: [
      Store.Index("address_user", on: "user_id", "contact_id", "position"),
      Store.Index("address_value", on: "value_index"),
    ])

  private static let incident = Store.Table(
    "incident",
    [
      .text("id"), .text("user_id"), .text("dedupe_key"), .text("kind"), .text("state"),
      .integer("version"), .integer("generation"), .integer("loop"), .integer("stage"),
      // What the wall showed.
      .integer("at_ms"), .integer("opened_at_ms"),
      // TrustedTime
      .integer("acknowledged_at_ms").optional, .text("acknowledged_by").optional,
      .text("acknowledged_through").optional, .integer("resolved_at_ms").optional,
      .integer("answer_until_ms").optional, .integer("reescalates_at_ms").optional,
      // When there is something to do next; NULL for never.
      .integer("next_due_ms").optional,
      .sealed("summary").optional, .sealed("note").optional, .sealed("battery").optional,
      .sealed("latitude").optional, .sealed("longitude").optional,
    ],
    indexes: [
      // A timer run reads what is due and nothing else.
      Store.Index(
        "incident_due", on: "next_due_ms", "user_id", where: "next_due_ms IS NOT NULL"),
      Store.Index("incident_key", on: "user_id", "dedupe_key", unique: true),
      Store.Index("incident_user", on: "user_id", "opened_at_ms", "id"),
      Store.Index("incident_ended", on: "opened_at_ms", where: "next_due_ms IS NULL"),
      Store.Index("incident_open", on: "user_id", where: "state <> 'resolved'"),
    ])

  private static let step = Store.Table(
    "step",
    [
      // incident/number
      .text("id"), .text("user_id"), .text("incident_id"), .integer("number"), .text("purpose"),
      .integer("generation"), .integer("loop"), .integer("stage"), .text("contact_id"),
      .text("address_id"), .text("channel"), .text("state"), .integer("due_ms"),
      .integer("attempts"), .integer("first_attempt_ms").optional,
      .integer("doubt_since_ms").optional, .text("lease_token").optional,
      .integer("lease_until_ms").optional, .integer("sent_at_ms").optional, .text("failure"),
      .boolean("may_pass"),
      // The key by which the delivery worker knows it.
      .text("delivery_key"),
    ],
    indexes: [
      Store.Index("step_incident", on: "incident_id", "number"),
      Store.Index("step_key", on: "delivery_key", unique: true),
    ])

  /// Tokens of links that were used.
  private static let usedToken = Store.Table(
    "used_token", [.text("id"), .text("user_id"), .integer("expires_at_ms")],
    indexes: [Store.Index("used_token_expiry", on: "expires_at_ms")], clustered: true)

  /// The code that was last sent to an address of a contact.
  private static let verification = Store.Table(
    "verification",
    [
      // The contact.
      .text("id"), .text("user_id"), .text("address_id"), .sealed("code"),
      .integer("expires_at_ms"), .integer("wrong_count"),
    ])

  /// What happened to a person on a day, for the digest.
  private static let day = Store.Table(
    "day",
    [
      // user/day
      .text("id"), .text("user_id"), .text("day"), .integer("done"), .integer("missed"),
      .integer("falls"),
    ], indexes: [Store.Index("day_user", on: "user_id", "day")], clustered: true)

  private static let secret = Store.Table("secret", [.text("id"), .sealed("value")])

  private static let time = Store.Table(
    "trusted_time",
    [.text("id"), .text("boot"), .integer("instant_ms"), .integer("since_boot_ms")])

  /// How far the digests of the last week have been sent.
  private static let digest = Store.Table(
    "digest", [.text("id"), .text("week"), .text("after_contact").optional])
}

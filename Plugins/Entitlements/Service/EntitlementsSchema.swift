import KithAccessStore
public import KithStore

/// The tables of the entitlements worker.
public enum EntitlementsSchema {
  /// The steps to the schema of today, the oldest first.
  public static let migrations: [Store.Migration] =
    KnownFamilyLinks.migrations
    + [
      Store.Migration(
        "entitlements 1",
        creating: [person, statement, fact, holding, quota, reservation, clock, passKey])
    ]

  private static let person = Store.Table(
    "person",
    [
      .text("id"), .text("user_id"),
      // Goes up with each change of the person's facts.
      .integer("revision"), .text("zone").optional,
      // The plan that was told last.
      .text("plan"),
      // When it may be another; NULL for never.
      .integer("next_change_ms").optional,
    ],
    indexes: [
      Store.Index("person_due", on: "next_change_ms", where: "next_change_ms IS NOT NULL")
    ], clustered: true)

  /// What stores have said, as it came.
  private static let statement = Store.Table(
    "statement",
    [
      .text("id"), .text("user_id"), .text("origin"), .integer("received_at_ms"),
      .sealed("content"),
    ], indexes: [Store.Index("statement_user", on: "user_id", "received_at_ms")])

  /// What was read from statements. Rows are only added.
  private static let fact = Store.Table(
    "fact",
    [
      .text("id"), .text("user_id"), .text("statement_id"), .bytes("name_index"),
      .integer("at_ms"), .sealed("content"),
    ],
    indexes: [
      Store.Index("fact_name", on: "name_index"), Store.Index("fact_user", on: "user_id"),
    ])

  /// Whose a subscription, or an account at a store, is.
  private static let holding = Store.Table(
    "holding",
    [.text("id"), .text("user_id"), .bytes("name_index"), .sealed("name")],
    indexes: [
      Store.Index("holding_name", on: "name_index"), Store.Index("holding_user", on: "user_id"),
    ])

  private static let quota = Store.Table(
    "quota",
    [
      // user/quota
      .text("id"), .text("user_id"), .text("quota"), .integer("used"), .integer("reserved"),
      .text("zone"), .integer("resets_at_ms"),
    ], indexes: [Store.Index("quota_user", on: "user_id")], clustered: true)

  private static let reservation = Store.Table(
    "reservation",
    [
      // user/quota/fingerprint of the key
      .text("id"), .text("user_id"), .text("quota"), .integer("amount"), .integer("counted"),
      .text("state"), .integer("expires_at_ms"),
    ],
    indexes: [
      Store.Index(
        "reservation_held", on: "user_id", "quota", "expires_at_ms", where: "state = 'held'"),
      Store.Index("reservation_expires", on: "expires_at_ms"),
    ], clustered: true)

  /// LatestTime: one row.
  private static let clock = Store.Table(
    "clock", [.text("id"), .integer("latest_ms")], clustered: true)

  /// What signs passes: one row.
  private static let passKey = Store.Table("pass_key", [.text("id"), .sealed("key")])
}

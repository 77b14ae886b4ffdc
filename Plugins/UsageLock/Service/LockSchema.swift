import KithAccessStore
public import KithStore

/// The tables of the usage lock.
public enum LockSchema {
  /// The steps to the schema of today, the oldest first.
  public static let migrations: [Store.Migration] =
    KnownFamilyLinks.migrations
    + [Store.Migration("lock 1", creating: [clock, person, device, activity, secret, frozen])]

  /// TrustedClock: one row.
  private static let clock = Store.Table(
    "clock",
    [
      .text("id"), .integer("now_ms"), .text("boot"), .integer("since_boot_ms"),
      .integer("wall_ms"), .integer("unproven_ms"),
    ], clustered: true)

  /// How far somebody has come: LockState. Instants are trusted times.
  private static let person = Store.Table(
    "person",
    [.text("id"), .text("user_id")] + profile("", isOptional: false)
      + profile("pending_", isOptional: true) + [
        .integer("pending_due_ms").optional,
        .text("day"), .text("day_zone"), .integer("day_start_ms"), .integer("day_end_ms"),
        // UseLedger: pairs of begin and length in milliseconds, the begin from the one before.
        .sealed("uses"), .integer("extras_taken"), .integer("extra_time_ms"),
        .boolean("is_used_up_told"),
        .integer("last_hour_ms").optional, .integer("open_until_ms").optional,
        .boolean("is_spoken"),
        .text("challenge").optional, .integer("challenge_expires_ms").optional,
        .integer("challenge_tries"), .integer("failures"), .integer("cool_down_until_ms").optional,
        // PassBook, and the PIN as scrypt has it.
        .text("pass").optional, .integer("pass_from_ms").optional,
        .integer("pass_expires_ms").optional, .boolean("is_pass_used"),
        .integer("pass_until_ms").optional, .integer("pin_failures"),
        .integer("pin_cool_down_until_ms").optional, .sealed("pin").optional,
        .integer("remind_at_ms").optional, .sealed("remind_app").optional,
        .integer("protection_off_ms").optional,
        // When there is something to do; NULL for never.
        .integer("next_due_ms").optional,
      ],
    indexes: [
      // A timer run reads what is due and nothing else; who is idle is not in it.
      Store.Index("person_due", on: "next_due_ms", where: "next_due_ms IS NOT NULL")
    ], clustered: true)

  private static func profile(_ prefix: String, isOptional: Bool) -> [Store.Column] {
    let columns: [Store.Column] = [
      // LockMode, Strictness
      .text("\(prefix)mode"), .text("\(prefix)strictness"),
      .integer("\(prefix)daily_budget_ms"), .integer("\(prefix)window_ms"),
      .boolean("\(prefix)is_anchored"), .text("\(prefix)zone"),
      .integer("\(prefix)start_of_day_s"), .sealed("\(prefix)sentence"),
      // A line for each: mode, id and name with tabs between them.
      .sealed("\(prefix)apps"),
      .integer("\(prefix)extras_per_day"), .integer("\(prefix)extra_ms"),
      .integer("\(prefix)typed_penalty_ms"), .integer("\(prefix)pass_ms"),
      // Enforcement
      .boolean("\(prefix)is_without_pass"), .text("\(prefix)enforcement"),
    ]
    return isOptional ? columns.map(\.optional) : columns
  }

  /// The devices of people: what each lacks, and by how much its own clock is behind trusted time.
  private static let device = Store.Table(
    "device",
    [
      // user/device
      .text("id"), .text("user_id"), .text("device"), .text("missing"),
      .integer("behind_ms").optional,
    ], indexes: [Store.Index("device_user", on: "user_id", "device")], clustered: true)

  /// What emergency passes are signed with: one row.
  private static let secret = Store.Table("secret", [.text("id"), .sealed("key")], clustered: true)

  /// The processes of this machine that were frozen.
  private static let frozen = Store.Table(
    "frozen", [.text("id"), .integer("times")], clustered: true)

  /// What happened, for a person to read.
  private static let activity = Store.Table(
    "activity",
    [
      .text("id"), .text("user_id"), .integer("at_ms"), .text("type"), .sealed("detail"),
    ],
    indexes: [
      Store.Index("activity_user", on: "user_id", "at_ms", "id"),
      Store.Index("activity_at", on: "at_ms"),
    ])
}

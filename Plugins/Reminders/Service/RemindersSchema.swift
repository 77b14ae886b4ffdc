import KithAccessStore
public import KithStore

/// The tables of the reminders worker.
public enum RemindersSchema {
  /// The steps to the schema of today, the oldest first.
  public static let migrations: [Store.Migration] =
    KnownFamilyLinks.migrations + [
      Store.Migration("reminders 1", creating: [reminder1, occurrence1, person1]),
      // The stored form is the worker's own: columns in place of encoded messages, words in place
      // of the contract's numbers.
      Store.Migration(
        "reminders 2",
        [
          .rewrite(reminder) { try OwnForms.reminder(&$0) },
          .rewrite(occurrence) { try OwnForms.occurrence(&$0) },
          .rewrite(person) { try OwnForms.person(&$0) },
        ]),
    ]

  // MARK: The tables of today

  private static let reminder = Store.Table(
    "reminder",
    identity + [
      // active, paused, finished
      .text("state"),
      // StoredSchedule
      .text("start"), .text("zone"), .text("rule"), .text("additions"), .text("exclusions"),
      .text("policy"),
      // StoredLadder; NULL for the steps that the worker's configuration says.
      .text("ladder_repeats_ms").optional, .integer("ladder_missed_after_ms").optional,
      .integer("ladder_contact_after_ms").optional,
    ] + progress, indexes: indexes(active: "state = 'active'"))

  /// What became of each occurrence.
  private static let occurrence = occurrenceTable(
    // StoredOccurrence.State, and why it was missed
    [.text("state"), .text("missed_reason").optional])

  /// What people have said of themselves; NULL is the worker's configuration.
  private static let person = personTable([.text("region").optional])

  // MARK: What "reminders 1" made

  private static let reminder1 = Store.Table(
    "reminder",
    identity + [
      // kith.reminders.v1.ReminderState
      .integer("state"),
      // kith.reminders.v1.Schedule and Ladder
      .bytes("schedule"), .bytes("ladder").optional,
    ] + progress, indexes: indexes(active: "state = 1"))

  private static let occurrence1 = occurrenceTable(
    // kith.reminders.v1.OccurrenceState and MissedReason
    [.integer("state"), .integer("missed_reason", default: 0)])

  /// kith.reminders.v1.Region
  private static let person1 = personTable([.integer("region")])

  // MARK: What both have

  private static let identity: [Store.Column] = [
    .text("id"), .text("user_id"), .sealed("text"), .sealed("notes").optional,
    // The uid of the calendar file that it came from, and a fingerprint to find it by.
    .sealed("uid").optional, .bytes("uid_index").optional, .boolean("is_medicine"),
  ]

  private static let progress: [Store.Column] = [
    .integer("created_at_ms"),
    // How far it has come: ReminderProgress. Walls are seconds since 1970 on the wall.
    .integer("cursor_ms"), .integer("last_wall").optional, .integer("walls_decided").optional,
    .integer("open_due_ms").optional, .integer("open_ladder_start_ms").optional,
    .integer("open_snoozes", default: 0), .integer("open_repeats", default: 0),
    .integer("open_snoozed_until_ms").optional, .boolean("open_is_missed", default: false),
    .integer("done_ahead_ms").optional,
    // When there is something to do next; NULL for never.
    .integer("next_step_ms").optional,
    // When it is sent next, for lists.
    .integer("next_due_ms").optional,
    // What both were worked out from: a hash of the edition of tzdata and the configuration.
    .integer("basis"),
  ]

  private static func indexes(active: SQLText) -> [Store.Index] {
    [
      // A timer run reads what is due and nothing else.
      Store.Index("reminder_next_step", on: "next_step_ms", where: "next_step_ms IS NOT NULL"),
      Store.Index("reminder_basis", on: "basis", where: "next_step_ms IS NOT NULL"),
      Store.Index("reminder_user", on: "user_id", "next_due_ms", "id"),
      Store.Index("reminder_active", on: "user_id", where: active),
      Store.Index(
        "reminder_uid", on: "user_id", "uid_index", unique: true, where: "uid_index IS NOT NULL"),
    ]
  }

  private static func occurrenceTable(_ state: [Store.Column]) -> Store.Table {
    Store.Table(
      "occurrence",
      [
        // reminder/due
        .text("id"), .text("user_id"), .text("reminder_id"), .integer("due_ms"),
      ] + state + [
        .integer("sent_at_ms").optional, .integer("done_at_ms").optional,
        .integer("snoozed_until_ms").optional, .integer("late_by_ms", default: 0),
      ],
      indexes: [
        Store.Index("occurrence_user", on: "user_id", "due_ms", "id"),
        Store.Index("occurrence_reminder", on: "reminder_id", "due_ms"),
      ], clustered: true)
  }

  private static func personTable(_ region: [Store.Column]) -> Store.Table {
    Store.Table(
      "person",
      [
        .text("id"), .text("user_id"), .text("zone").optional,
        // Seconds of the day.
        .integer("quiet_from").optional, .integer("quiet_to").optional,
      ] + region, clustered: true)
  }
}

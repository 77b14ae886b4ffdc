import KithAccessStore
public import KithStore

/// The tables of the fall detector.
public enum FallsSchema {
  /// The steps to the schema of today, the oldest first.
  public static let migrations: [Store.Migration] =
    KnownFamilyLinks.migrations + [Store.Migration("falls 1", creating: [fallCase, report])]

  private static let fallCase = Store.Table(
    "fall_case",
    [
      .text("id"), .text("user_id"),
      // CaseProgress.State
      .text("state"), .integer("opened_at_ms"),
      // TrustedDeadline: what the state ends with.
      .text("wait_boot"), .integer("wait_end_ms"), .integer("wait_length_ms"),
      .integer("wait_wall_ms"),
      .integer("answer_by_ms"), .integer("candidate_count"),
      // When the device says that the last report of it happened.
      .integer("device_at_ms").optional,
      // AlertCause, CaseResolution
      .integer("alerted_at_ms").optional, .text("cause").optional,
      .integer("ack_at_ms").optional, .text("ack_by"),
      .integer("resolved_at_ms").optional, .text("resolution").optional, .text("resolved_by"),
      .sealed("reason").optional,
      // What was measured. The finding is a kith.falls.v1.Finding, the place a Location.
      .sealed("finding").optional, .sealed("accel_g").optional, .sealed("battery").optional,
      .sealed("location").optional,
    ],
    indexes: [
      // A timer run reads what is due and nothing else.
      Store.Index(
        "fall_case_wait", on: "wait_boot", "wait_end_ms", where: "state <> 'closed'"),
      Store.Index("fall_case_user", on: "user_id", "opened_at_ms", "id"),
      Store.Index("fall_case_resolved", on: "resolved_at_ms", where: "state = 'closed'"),
      Store.Index("fall_case_open", on: "user_id", where: "state <> 'closed'"),
    ])

  /// The events and batches that were taken, and what was answered.
  private static let report = Store.Table(
    "report",
    [
      // user/event id, user/session/sequence
      .text("id"), .text("user_id"), .integer("at_ms"),
      // kith.falls.v1.ReportResponse
      .sealed("answer"),
    ], indexes: [Store.Index("report_at", on: "at_ms")])
}

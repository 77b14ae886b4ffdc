public import KithStore

/// The tables of the flags worker. Flags are about nobody; what somebody wrote as a reason is
/// sealed all the same.
public enum FlagsSchema {
  /// The steps to the schema of today, the oldest first.
  public static let migrations: [Store.Migration] = [
    Store.Migration(
      "flags 1",
      creating: [
        Store.Table(
          "flag",
          [
            // The flag's key.
            .text("id"), .integer("revision"),
            // JSON, in the form of FlagReader.
            .text("definition"), .boolean("is_killed"), .text("frozen_because").optional,
            .integer("created_at_ms"), .integer("changed_at_ms"),
          ], clustered: true),
        Store.Table(
          "segment",
          [.text("id"), .integer("revision"), .text("definition")], clustered: true),
        // The last row has the newest revision.
        Store.Table(
          "change",
          [
            .number("revision"), .text("subject"), .text("kind"), .text("made_by"),
            .integer("at_ms"), .sealed("why"), .text("before").optional, .text("after").optional,
          ],
          key: ["revision"],
          indexes: [Store.Index("change_subject", on: "subject", "revision")]),
      ])
  ]
}

public import KithStore

/// The schema of the store, step by step. A step never changes once it has shipped.
public enum NoteSchema {
  /// The steps, the oldest first.
  public static let migrations = [
    Store.Migration(
      "1 notes",
      creating: [
        Store.Table(
          "note",
          [
            .text("id"), .text("user_id"), .sealed("text"), .integer("due_at_ms"),
            .boolean("is_told"),
          ],
          indexes: [
            Store.Index("note_user", on: "user_id", "due_at_ms"),
            Store.Index("note_due", on: "is_told", "due_at_ms"),
          ])
      ])
  ]
}

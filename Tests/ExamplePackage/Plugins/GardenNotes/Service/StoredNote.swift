import GardenNotesContract
import KithAccess
import KithStore

/// A note as a row. Its text is encrypted at rest.
struct StoredNote: UserRecord {
  static let table = "note"
  let id: String
  let user: UserID
  var text: Sealed<String>
  let dueAt: Int64
  var isTold = false

  init(id: String, user: UserID, text: String, dueAt: Int64) {
    (self.id, self.user, self.text, self.dueAt) = (id, user, Sealed(text), dueAt)
  }

  init(_ row: RecordReader) throws {
    (id, user, text) = (try row["id"], try row.user(), try row["text"])
    (dueAt, isTold) = (try row["due_at_ms"], try row["is_told"])
  }

  func write(to row: inout RecordWriter) throws {
    try row.set("text", text)
    row.set("due_at_ms", dueAt)
    row.set("is_told", isTold)
  }

  /// The note as callers see it.
  func message() throws -> Note {
    Note(id: id, text: try text.value, dueAtMs: dueAt, isTold: isTold)
  }
}

import KithAccess
import KithStore
import KithTime

/// A reply that was taken.
struct StoredReply: UserRecord {
  static let table = "reply"
  let id: String
  let user: UserID
  let takenAt: Instant

  init(id: String, user: UserID, takenAt: Instant) {
    self.id = id
    self.user = user
    self.takenAt = takenAt
  }

  init(_ row: RecordReader) throws {
    self.init(
      id: try row["id"], user: try row.user(),
      takenAt: Instant(milliseconds: try row["taken_at_ms"]))
  }

  func write(to row: inout RecordWriter) throws {
    row.set("taken_at_ms", takenAt.milliseconds)
  }
}

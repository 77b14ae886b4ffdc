import KithAccess
import KithStore
import KithTime

/// A token that was used, as a row, by a fingerprint of it.
struct StoredToken {
  let id: String
  let user: UserID
  let expiresAt: Instant
}

extension StoredToken: UserRecord {
  static let table = "used_token"

  init(_ row: RecordReader) throws {
    self.init(
      id: try row["id"], user: try row.user(),
      expiresAt: Instant(milliseconds: try row["expires_at_ms"]))
  }

  func write(to row: inout RecordWriter) throws {
    row.set("expires_at_ms", expiresAt.milliseconds)
  }
}

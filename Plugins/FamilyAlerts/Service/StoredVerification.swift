import KithAccess
import KithStore
import KithTime

/// The code that was last sent to an address of a contact, as a row.
struct StoredVerification {
  /// How long a code is taken.
  static let lifetime = Duration.seconds(600)
  /// So many wrong ones end it.
  static let mostWrong = 5

  let contact: String
  let user: UserID
  let address: String
  let code: Sealed<String>
  let expiresAt: Instant
  var wrongCount = 0
}

extension StoredVerification: UserRecord {
  static let table = "verification"
  var id: String { contact }

  init(_ row: RecordReader) throws {
    self.init(
      contact: try row["id"], user: try row.user(), address: try row["address_id"],
      code: try row["code"], expiresAt: Instant(milliseconds: try row["expires_at_ms"]),
      wrongCount: try row["wrong_count"])
  }

  func write(to row: inout RecordWriter) throws {
    row.set("address_id", address)
    try row.set("code", code)
    row.set("expires_at_ms", expiresAt.milliseconds)
    row.set("wrong_count", wrongCount)
  }
}

import FamilyAlertsDomain
import KithAccess
import KithStore
import KithTime

/// A contact as a row, without its addresses.
struct StoredContact {
  let id: String
  let user: UserID
  var priority: Int
  let createdAt: Instant
  var name: Sealed<String>
  /// `22:00 07:00 America/New_York`; nil for none.
  var quiet: Sealed<String>?
  var familyUser: Sealed<String>?
  var consentedAt: Sealed<Int64>?
  var wishes: Sealed<String>
  /// All addresses in one text, by which the contact is found again.
  var addresses: Sealed<String>

  /// Whether the digest of the week goes to the contact.
  var wantsDigest: Bool { wishes.intact == "digest" }

  static func wishes(digest: Bool) -> Sealed<String> { Sealed(digest ? "digest" : "") }
}

extension StoredContact: UserRecord {
  static let table = "contact"

  init(_ row: RecordReader) throws {
    self.init(
      id: try row["id"], user: try row.user(), priority: try row["priority"],
      createdAt: Instant(milliseconds: try row["created_at_ms"]), name: try row["name"],
      quiet: try row["quiet"], familyUser: try row["family_user"],
      consentedAt: try row["consented_at"], wishes: try row["wishes"],
      addresses: try row["addresses"])
  }

  func write(to row: inout RecordWriter) throws {
    row.set("priority", priority)
    row.set("created_at_ms", createdAt.milliseconds)
    try row.set("name", name)
    try row.set("quiet", quiet)
    try row.set("family_user", familyUser)
    try row.set("consented_at", consentedAt)
    try row.set("wishes", wishes)
    try row.set("addresses", addresses)
    row.setIndex("addresses_index", addresses)
  }
}

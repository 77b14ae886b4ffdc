import KithAccess
import KithStore
import KithTime

/// A person as a row.
struct StoredPerson: UserRecord {
  static let table = "person"

  let user: UserID
  /// Goes up with each change of the person's facts.
  var revision: Int64 = 0
  /// The zone whose midnight begins their day; nil for the product's.
  var zone: String?
  /// The plan that was told last.
  var plan: String
  /// When it may be another; nil for never.
  var nextChange: Instant?

  var id: String { user.text }

  init(user: UserID, plan: String) { (self.user, self.plan) = (user, plan) }

  init(_ row: RecordReader) throws {
    user = try row.user()
    revision = try row["revision"]
    zone = try row["zone"]
    plan = try row["plan"]
    nextChange = (try row["next_change_ms"] as Int?).map { Instant(milliseconds: $0) }
  }

  func write(to row: inout RecordWriter) throws {
    row.set("revision", revision)
    row.set("zone", zone)
    row.set("plan", plan)
    row.set("next_change_ms", nextChange?.milliseconds)
  }
}

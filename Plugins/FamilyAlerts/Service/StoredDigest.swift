import KithStore
import KithTime

/// How far the digests have been sent, as a row.
struct StoredDigest: StoredRecord {
  static let table = "digest"
  let id = "progress"
  /// The Monday of the last week that is being sent, or was.
  var week: CivilDate
  /// The last contact that was served of that week; nil when all were.
  var afterContact: String?

  init(week: CivilDate, afterContact: String?) {
    self.week = week
    self.afterContact = afterContact
  }

  init(_ row: RecordReader) throws {
    guard let week = CivilDate(try row["week"] as String) else {
      throw row.unreadable("week", expected: "a day such as 2026-11-16")
    }
    self.init(week: week, afterContact: try row["after_contact"])
  }

  func write(to row: inout RecordWriter) throws {
    row.set("week", "\(week)")
    row.set("after_contact", afterContact)
  }
}

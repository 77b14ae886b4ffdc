import KithAccess
import KithStore
import KithTime
import RemindersDomain

/// What somebody has said of themselves, as a row; nil is what the worker's configuration says.
struct StoredPerson {
  let user: UserID
  var zone: String?
  var quietHours: RemindersDomain.QuietHours?
  var region: RemindersDomain.Region?
}

extension StoredPerson: UserRecord {
  static let table = "person"
  var id: String { user.text }

  init(_ row: RecordReader) throws {
    let from: Int? = try row["quiet_from"]
    let to: Int? = try row["quiet_to"]
    var quietHours: RemindersDomain.QuietHours?
    if let from, let to {
      quietHours = RemindersDomain.QuietHours(
        from: CivilTime(secondOfDay: from), to: CivilTime(secondOfDay: to))
    }
    self.init(
      user: try row.user(), zone: try row["zone"], quietHours: quietHours,
      region: try row["region"])
  }

  func write(to row: inout RecordWriter) throws {
    row.set("zone", zone)
    row.set("quiet_from", quietHours?.from.secondOfDay)
    row.set("quiet_to", quietHours?.to.secondOfDay)
    row.set("region", region)
  }
}

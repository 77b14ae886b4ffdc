import FamilyAlertsDomain
import KithAccess
import KithStore
import KithTime

/// What happened to a person on a day, as a row.
struct StoredDay {
  let user: UserID
  let date: CivilDate
  var counts = FamilyWeek.Day()

  static func id(_ user: UserID, _ date: CivilDate) -> String { "\(user)/\(date)" }
}

extension StoredDay: UserRecord {
  static let table = "day"
  var id: String { Self.id(user, date) }

  init(_ row: RecordReader) throws {
    guard let date = CivilDate(try row["day"] as String) else {
      throw row.unreadable("day", expected: "a day such as 2026-11-21")
    }
    self.init(
      user: try row.user(), date: date,
      counts: FamilyWeek.Day(
        done: try row["done"], missed: try row["missed"], falls: try row["falls"]))
  }

  func write(to row: inout RecordWriter) throws {
    row.set("day", "\(date)")
    row.set("done", counts.done)
    row.set("missed", counts.missed)
    row.set("falls", counts.falls)
  }
}

import EntitlementsDomain
import KithAccess
import KithStore
import KithTime

/// What somebody has used of a quota, as a row.
struct StoredQuota: UserRecord {
  static let table = "quota"

  let user: UserID
  let name: String
  var quota = Quota()
  var window: QuotaWindow

  var id: String { Self.id(user, name) }
  static func id(_ user: UserID, _ name: String) -> String { "\(user)/\(name)" }

  init(user: UserID, name: String, window: QuotaWindow) {
    (self.user, self.name, self.window) = (user, name, window)
  }

  init(_ row: RecordReader) throws {
    user = try row.user()
    name = try row["quota"]
    quota = Quota(used: try row["used"], reserved: try row["reserved"])
    window = QuotaWindow(
      zone: try row["zone"], resetsAt: Instant(milliseconds: try row["resets_at_ms"]))
  }

  func write(to row: inout RecordWriter) throws {
    row.set("quota", name)
    row.set("used", quota.used)
    row.set("reserved", quota.reserved)
    row.set("zone", window.zone)
    row.set("resets_at_ms", window.resetsAt.milliseconds)
  }
}

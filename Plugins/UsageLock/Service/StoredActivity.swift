import KithAccess
import KithStore
import KithTime
import LockContract

/// Something that happened, as a row.
struct StoredActivity: UserRecord {
  static let table = "activity"

  /// What happened.
  enum Kind: String, StoreConvertible, CaseIterable {
    case unlocked, refused
    case extraTime = "extra-time"
    case budgetUsedUp = "budget-used-up"
    case changeQueued = "change-queued"
    case changeApplied = "change-applied"
    case changeWithdrawn = "change-withdrawn"
    case profileSet = "profile-set"
    case protectionOff = "protection-off"
    case protectionOn = "protection-on"
    case remindLater = "remind-later"
    case appClosed = "app-closed"
    case passUsed = "pass-used"
    case passRefused = "pass-refused"
    case pinSet = "pin-set"
    case pinRemoved = "pin-removed"
    case frozen, continued, ended
  }

  let id: String
  let user: UserID
  let at: Instant
  let kind: Kind
  let detail: Sealed<String>

  init(id: String, user: UserID, at: Instant, kind: Kind, detail: String) {
    self.id = id
    self.user = user
    self.at = at
    self.kind = kind
    self.detail = Sealed(detail)
  }

  init(_ row: RecordReader) throws {
    id = try row["id"]
    user = try row.user()
    at = Instant(milliseconds: try row["at_ms"])
    kind = try row["type"]
    detail = try row["detail"]
  }

  func write(to row: inout RecordWriter) throws {
    row.set("at_ms", at.milliseconds)
    row.set("type", kind)
    try row.set("detail", detail)
  }

  /// As the contract has it.
  var message: Activity {
    Activity(atMs: at.contract, type: kind.rawValue, detail: detail.intact ?? "")
  }
}

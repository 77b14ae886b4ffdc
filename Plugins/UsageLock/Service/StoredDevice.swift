import KithAccess
import KithStore

/// A device of somebody, as a row.
struct StoredDevice: UserRecord {
  static let table = "device"
  /// How many a person may have.
  static let most = 32

  let user: UserID
  let device: String
  /// The permissions that it lacks, separated by blanks.
  var missing = ""
  /// What is to be added to a time of its clock for a trusted time, in milliseconds; nil until it
  /// reports a use.
  var behind: Int64?

  var id: String { Self.id(user, device) }
  static func id(_ user: UserID, _ device: String) -> String { "\(user)/\(device)" }

  init(user: UserID, device: String) {
    self.user = user
    self.device = device
  }

  init(_ row: RecordReader) throws {
    user = try row.user()
    device = try row["device"]
    missing = try row["missing"]
    behind = try row["behind_ms"]
  }

  func write(to row: inout RecordWriter) throws {
    row.set("device", device)
    row.set("missing", missing)
    row.set("behind_ms", behind)
  }
}

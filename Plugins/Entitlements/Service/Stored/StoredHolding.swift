import EntitlementsDomain
import KithAccess
import KithStore

/// Whose a subscription, or an account at a store, is. What one person has shown, no other can.
struct StoredHolding: UserRecord {
  static let table = "holding"

  let id: String
  let user: UserID
  let name: Sealed<String>

  init(id: String, user: UserID, name: String) {
    (self.id, self.user, self.name) = (id, user, Sealed(name))
  }

  init(_ row: RecordReader) throws {
    id = try row["id"]
    user = try row.user()
    name = try row["name"]
  }

  func write(to row: inout RecordWriter) throws {
    row.setIndex("name_index", name)
    try row.set("name", name)
  }

  /// What a subscription is called here.
  static func subscription(_ origin: StoreFact.Origin, _ id: String) -> String {
    "\(origin.rawValue)/\(id)"
  }

  /// What an account is called here.
  static func account(_ origin: StoreFact.Origin, _ id: String) -> String {
    "\(origin.rawValue) account/\(id.lowercased())"
  }
}

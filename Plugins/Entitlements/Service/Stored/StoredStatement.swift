import EntitlementsDomain
import KithAccess
import KithStore
import KithTime

/// What a store has said, as it came.
struct StoredStatement: UserRecord {
  static let table = "statement"

  let id: String
  let user: UserID
  let origin: StoreFact.Origin
  let receivedAt: Instant
  let content: Sealed<[UInt8]>

  init(
    id: String, user: UserID, origin: StoreFact.Origin, receivedAt: Instant, content: [UInt8]
  ) {
    (self.id, self.user, self.origin, self.receivedAt) = (id, user, origin, receivedAt)
    self.content = Sealed(content)
  }

  init(_ row: RecordReader) throws {
    id = try row["id"]
    user = try row.user()
    guard let origin = StoreFact.Origin(rawValue: try row["origin"]) else {
      throw row.unreadable("origin", expected: "a store")
    }
    self.origin = origin
    receivedAt = Instant(milliseconds: try row["received_at_ms"])
    content = try row["content"]
  }

  func write(to row: inout RecordWriter) throws {
    row.set("origin", origin.rawValue)
    row.set("received_at_ms", receivedAt.milliseconds)
    try row.set("content", content)
  }
}

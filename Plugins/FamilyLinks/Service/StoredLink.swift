import FamilyContract
import GRDB
import KithAccess
public import KithStore

/// The table of the links. Who is linked to whom is told by ids that say nothing by themselves.
public enum LinkSchema {
  /// The steps to the schema of today, the oldest first.
  public static let migrations: [Store.Migration] = [
    Store.Migration("links 1") { database in
      try database.execute(
        sql: """
          CREATE TABLE link (
            -- senior/family
            id TEXT PRIMARY KEY NOT NULL,
            -- The senior, whose record it is.
            user_id TEXT NOT NULL,
            family_id TEXT NOT NULL,
            -- kith.family.v1.Role
            role INTEGER NOT NULL,
            created_at_ms INTEGER NOT NULL,
            -- When an event last told of it.
            told_at_ms INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX link_told ON link (told_at_ms);
          CREATE INDEX link_user ON link (user_id, created_at_ms);
          CREATE INDEX link_family ON link (family_id, created_at_ms);
          """)
    }
  ]
}

/// A link as a row.
struct StoredLink {
  let user: UserID
  let family: UserID
  var role: Role
  let createdAt: Int64
  /// When an event last told of it.
  var toldAt: Int64

  static func id(_ senior: UserID, _ family: UserID) -> String { "\(senior)/\(family)" }

  var message: Link {
    Link(
      seniorId: user.text, familyId: family.text, role: role, createdAtMs: createdAt)
  }
}

extension StoredLink: UserRecord {
  static let table = "link"
  var id: String { Self.id(user, family) }

  init(_ row: RecordReader) throws {
    guard let family = UserID(try row["family_id"] as String) else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "link.family_id is no user id")
    }
    self.init(
      user: try row.user(), family: family, role: Role(rawValue: try row["role"]),
      createdAt: try row["created_at_ms"], toldAt: try row["told_at_ms"])
  }

  func write(to row: inout RecordWriter) throws {
    row.set("family_id", family.text)
    row.set("role", role.rawValue)
    row.set("created_at_ms", createdAt)
    row.set("told_at_ms", toldAt)
  }
}

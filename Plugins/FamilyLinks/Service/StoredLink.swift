import AccessContract
import KithAccess
public import KithStore

/// The table of the links. Who is linked to whom is told by ids that say nothing by themselves.
public enum LinkSchema {
  /// The steps to the schema of today, the oldest first.
  public static let migrations: [Store.Migration] = [
    Store.Migration("links 1", creating: [link(role: .integer("role"))]),
    // Words in place of the contract's numbers.
    Store.Migration(
      "links 2",
      [
        .rewrite(link(role: .text("role"))) { row in
          let role = Role(rawValue: try row["role"])
          row.set("role", role == .caregiver ? FamilyLink.Role.caregiver : .viewer)
        }
      ]),
  ]

  private static func link(role: Store.Column) -> Store.Table {
    Store.Table(
      "link",
      [
        // senior/family
        .text("id"),
        // The senior, whose record it is.
        .text("user_id"), .text("family_id"), role, .integer("created_at_ms"),
        // When an event last told of it.
        .integer("told_at_ms"),
      ],
      indexes: [
        Store.Index("link_told", on: "told_at_ms"),
        Store.Index("link_user", on: "user_id", "created_at_ms"),
        Store.Index("link_family", on: "family_id", "created_at_ms"),
      ], clustered: true)
  }
}

/// A link as a row.
struct StoredLink {
  let user: UserID
  let family: UserID
  var role: FamilyLink.Role
  let createdAt: Int64
  /// When an event last told of it.
  var toldAt: Int64

  static func id(_ senior: UserID, _ family: UserID) -> String { "\(senior)/\(family)" }

  var message: Link {
    Link(
      seniorId: user.text, familyId: family.text, role: role == .caregiver ? .caregiver : .viewer,
      createdAtMs: createdAt)
  }
}

extension StoredLink: UserRecord {
  static let table = "link"
  var id: String { Self.id(user, family) }

  init(_ row: RecordReader) throws {
    self.init(
      user: try row.user(), family: try row["family_id"], role: try row["role"],
      createdAt: try row["created_at_ms"], toldAt: try row["told_at_ms"])
  }

  func write(to row: inout RecordWriter) throws {
    row.set("family_id", family)
    row.set("role", role)
    row.set("created_at_ms", createdAt)
    row.set("told_at_ms", toldAt)
  }
}

import GRDB
public import KithAccess

/// What a worker knows of the links between people, told by the worker that keeps them.
enum FamilyLinkTable {
  static let migration = Store.Migration("kith family links 1") { database in
    try database.execute(
      sql: """
        CREATE TABLE kith_family_link (
          senior TEXT NOT NULL,
          family TEXT NOT NULL,
          -- FamilyLink.Role
          role TEXT NOT NULL,
          PRIMARY KEY (senior, family)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX kith_family_link_family ON kith_family_link (family);
        """)
  }
}

extension Transaction {
  /// What a caller may do: by itself, and by the links that the worker knows of. None are known of where the worker does not
  /// follow them.
  public func access(of caller: Caller) throws -> Access {
    guard case .user(let user) = caller else { return Access(of: caller) }
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: "SELECT senior, role FROM kith_family_link WHERE family = ?"), arguments: [user.text])
    return Access(
      of: caller,
      links: rows.compactMap { row in
        guard let senior = UserID(row[0] as String),
          let role = FamilyLink.Role(rawValue: row[1])
        else { return nil }
        return FamilyLink(senior: senior, family: user, role: role)
      })
  }
}

extension WriteTransaction {
  /// Knows of a link from now on, in place of another between the same two.
  public func note(_ link: FamilyLink) throws {
    try database.execute(
      sql: "INSERT OR REPLACE INTO kith_family_link (senior, family, role) VALUES (?, ?, ?)",
      arguments: [link.senior.text, link.family.text, link.role.rawValue])
  }

  /// Knows of no link between two people any more.
  public func forgetFamilyLink(senior: UserID, family: UserID) throws {
    try database.execute(
      sql: "DELETE FROM kith_family_link WHERE senior = ? AND family = ?",
      arguments: [senior.text, family.text])
  }

  /// Knows of no links any more.
  public func forgetFamilyLinks() throws {
    try database.execute(sql: "DELETE FROM kith_family_link")
  }
}

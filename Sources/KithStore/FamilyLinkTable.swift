public import KithAccess

/// What a worker knows of the links between people, told by the worker that keeps them.
enum FamilyLinkTable {
  static let migration = Store.Migration(
    "kith family links 1",
    creating: [
      Store.Table(
        "kith_family_link",
        [
          .text("senior"), .text("family"),
          // FamilyLink.Role
          .text("role"),
        ], key: ["senior", "family"],
        indexes: [Store.Index("kith_family_link_family", on: "family")],
        clustered: true)
    ])
}

extension Transaction {
  /// What a caller may do: by itself, and by the links that the worker knows of. None are known of where the worker does not
  /// follow them.
  public func access(of caller: Caller) throws -> Access {
    guard case .user(let user) = caller else { return Access(of: caller) }
    let rows = try rows("SELECT senior, role FROM kith_family_link WHERE family = \(user)")
    return Access(
      of: caller,
      links: try rows.compactMap { row in
        guard let role = FamilyLink.Role(rawValue: try row["role"]) else { return nil }
        return FamilyLink(senior: try row["senior"], family: user, role: role)
      })
  }
}

extension WriteTransaction {
  /// Knows of a link from now on, in place of another between the same two.
  public func note(_ link: FamilyLink) throws {
    try execute(
      """
      INSERT INTO kith_family_link (senior, family, role)
      VALUES (\(link.senior), \(link.family), \(link.role.rawValue))
      ON CONFLICT (senior, family) DO UPDATE SET role = excluded.role
      """)
  }

  /// Knows of no link between two people any more.
  public func forgetFamilyLink(senior: UserID, family: UserID) throws {
    try execute(
      "DELETE FROM kith_family_link WHERE senior = \(senior) AND family = \(family)")
  }

  /// Knows of no links any more.
  public func forgetFamilyLinks() throws {
    try execute("DELETE FROM kith_family_link")
  }
}

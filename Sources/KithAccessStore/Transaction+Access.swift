public import KithAccess
public import KithStore

extension Transaction {
  /// What a caller may do: by itself, and by the links that ``KnownFamilyLinks`` knows of.
  ///
  ///     let grant = try transaction.access(of: context.caller).grant(.read, on: user)
  ///
  /// - Throws: ``StoreError`` if the store has no table of links.
  public func access(of caller: Caller) throws -> Access {
    guard case .user(let user) = caller else { return Access(of: caller) }
    let rows = try rows("SELECT senior, role FROM kith_family_link WHERE family = \(user)")
    return Access(
      of: caller,
      links: try rows.map { row in
        FamilyLink(senior: try row["senior"], family: user, role: try row["role"])
      })
  }
}

/// That one person lets another see, or look after, what is theirs.
public struct FamilyLink: Sendable, Hashable {
  /// What the other may do.
  public enum Role: String, Sendable, Hashable, CaseIterable {
    /// Sees the records: a daughter who wants to know that the pills were taken.
    case viewer
    /// Sees and changes them: whoever sets up the reminders.
    case caregiver
  }

  /// Whose records they are.
  public var senior: UserID
  /// Who is let in.
  public var family: UserID
  /// What the family may do.
  public var role: Role

  /// A link.
  public init(senior: UserID, family: UserID, role: Role) {
    self.senior = senior
    self.family = family
    self.role = role
  }
}

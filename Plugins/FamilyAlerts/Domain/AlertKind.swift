/// What an incident is about.
public enum AlertKind: String, Sendable, Hashable, CaseIterable {
  /// A fall: safety.
  case fall
  /// A medicine that was missed.
  case missedReminder = "missed_reminder"
  /// A scam that the person asked to share.
  case scamShared = "scam_shared"

  /// Whether it ignores quiet hours, and reaches a contact whatever the plan.
  public var isSafety: Bool { self == .fall }
}

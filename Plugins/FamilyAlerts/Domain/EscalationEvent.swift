/// What happened in an escalation that others are told of.
public enum EscalationEvent: Sendable, Hashable {
  /// A message was handed over, or failed for good; its number.
  case stepEnded(Int)
  /// All steps are done and nobody has answered.
  case nobodyReached(UnreachedReason)
}

/// Why nobody was reached.
public enum UnreachedReason: String, Sendable, Hashable, CaseIterable {
  /// There is nobody to tell.
  case noContacts = "no_contacts"
  /// No message was handed over.
  case allFailed = "all_failed"
  /// Messages were handed over, and nobody answered.
  case noAnswer = "no_answer"
}

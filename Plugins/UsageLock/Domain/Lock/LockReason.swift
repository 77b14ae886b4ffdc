/// What an app is locked by.
public enum LockReason: String, Sendable, Hashable, CaseIterable {
  /// The day's budget is used up; the hour's window was not asked for; it is over; the sentence has
  /// to be said.
  case budgetUsedUp, windowClosed, windowUsed, sentenceRequired
}

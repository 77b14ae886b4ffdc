/// What became of one attempt to send a message.
public enum StepOutcome: Sendable, Hashable {
  /// It was handed over.
  case accepted
  /// It will never be taken, for this reason.
  case refused(String)
  /// It was not taken now, for this reason.
  case later(String)
  /// The answer is missing: it may have been handed over.
  case unknown
}

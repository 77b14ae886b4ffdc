/// How urgent a message is.
public enum Urgency: Int, Sendable, Hashable, CaseIterable, Comparable {
  /// It may wait for the phone to wake.
  case low
  /// At once.
  case normal
  /// At once, through silence; ahead of all others.
  case safety

  /// The less urgent first.
  public static func < (left: Urgency, right: Urgency) -> Bool { left.rawValue < right.rawValue }
}

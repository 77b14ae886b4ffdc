public import KithTime

/// How well somebody knows a card of a drill, and when it is shown again.
public struct RepeatedCard: Sendable, Hashable {
  /// Where it is on its way.
  public enum Stage: Sendable, Hashable {
    /// Shown for the first times, minutes apart: at so many steps.
    case learning(step: Int)
    /// Known, and shown again after days.
    case review
    /// Forgotten, and learned anew.
    case relearning(step: Int)
  }

  /// Where it is on its way.
  public var stage: Stage
  /// After how many days it is remembered with a probability of 90 %; nil before it was ever shown.
  public var stability: Double?
  /// How hard it is, 1 to 10; nil before it was ever shown.
  public var difficulty: Double?
  /// When it was last shown.
  public var lastReview: Instant?
  /// When it is to be shown again.
  public var due: Instant

  /// A card that was never shown.
  public init(due: Instant) {
    stage = .learning(step: 0)
    self.due = due
  }
}

/// That a card was shown, and how well it was remembered. A card's reviews are all that its state
/// follows from.
public struct Review: Sendable, Hashable {
  /// How well.
  public var grade: Grade
  /// When.
  public var at: Instant

  /// A review.
  public init(_ grade: Grade, at instant: Instant) {
    self.grade = grade
    at = instant
  }
}

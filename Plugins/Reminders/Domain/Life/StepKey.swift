public import KithTime

/// What makes a step the same step, however often it is tried: whoever delivers does each once.
public struct StepKey: Sendable, Hashable {
  /// A step of an occurrence's life.
  public enum Step: Sendable, Hashable {
    /// To be sent: the first time is 0, its repeats follow; a snooze begins another round.
    case notify(round: Int, number: Int)
    /// It counts as missed.
    case missed
    /// A contact is to be told.
    case contact
  }

  /// The reminder's id.
  public let reminder: String
  /// When the occurrence was due.
  public let occurrence: Instant
  /// Which step.
  public let step: Step

  /// As a stable text, for a column that is unique: `r1/1772000000000/notify-0-1`.
  public var text: String {
    let name =
      switch step {
      case .notify(let round, let number): "notify-\(round)-\(number)"
      case .missed: "missed"
      case .contact: "contact"
      }
    return "\(reminder)/\(occurrence.milliseconds)/\(name)"
  }
}

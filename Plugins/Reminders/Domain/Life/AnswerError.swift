/// Why an answer to a reminder cannot be taken.
public enum AnswerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// There is no such occurrence, or it is not known any more.
  case noSuchOccurrence
  /// It is done already, so there is nothing to snooze.
  case alreadyDone
  /// A snooze must end later than now and within a week.
  case snoozeOutOfRange

  /// What was wrong and what is expected.
  public var description: String {
    switch self {
    case .noSuchOccurrence:
      "the reminder has no such occurrence; expected is one that was sent, or the next one"
    case .alreadyDone: "the occurrence is done already; there is nothing to snooze"
    case .snoozeOutOfRange: "a snooze ends later than now, and within 7 days"
    }
  }
}

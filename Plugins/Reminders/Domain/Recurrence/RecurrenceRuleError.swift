/// Why a text is no recurrence rule.
public struct RecurrenceRuleError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The part that is wrong, as in `BYMONTHDAY`; `RRULE` for the rule as a whole.
  public let part: String
  /// What was wrong and what is expected, in a sentence that names the part.
  public let description: String

  init(_ part: String, _ reason: String, expected: String) {
    self.part = part
    description = "\(part) \(reason); expected is \(expected)"
  }
}

/// What cannot be taken from a calendar file, and where.
public struct CalendarProblem: Error, Sendable, Hashable, CustomStringConvertible {
  /// The line of the file, from 1; a folded line counts where it begins.
  public let line: Int
  /// What was wrong and what is expected, in a sentence.
  public let reason: String

  init(_ line: Int, _ reason: String) {
    self.line = line
    self.reason = reason
  }

  /// `line 12: ...`
  public var description: String { "line \(line): \(reason)" }
}

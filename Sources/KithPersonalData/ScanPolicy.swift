/// What kind of text is scanned.
public enum ScanPolicy: Hashable, Sendable {
  /// What a person wrote or received. A text without words is taken for an answer to somebody's
  /// question.
  case message
  /// A line that a program wrote: most numbers in it count things, and the addresses of this
  /// machine and network are nobody's.
  case log
}

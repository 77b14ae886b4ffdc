/// A place in a text.
public struct YAMLMark: Sendable, Hashable, Comparable {
  /// The line, from 1.
  public let line: Int
  /// The column in characters, from 1.
  public let column: Int

  /// A place in a text.
  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// Whether a place is before another.
  public static func < (left: YAMLMark, right: YAMLMark) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}

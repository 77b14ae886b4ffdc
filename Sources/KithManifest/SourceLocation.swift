/// A place in a manifest.
public struct SourceLocation: Sendable, Hashable, CustomStringConvertible {
  /// The file's path as it was given.
  public var file: String
  /// The line, from 1. Zero means the file as a whole.
  public var line: Int
  /// The column in characters, from 1. Zero means the file as a whole.
  public var column: Int

  /// A place in a file.
  public init(file: String, line: Int, column: Int) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// A file as a whole.
  public init(file: String) {
    self.init(file: file, line: 0, column: 0)
  }

  /// `plugin.yaml:3:5`, or the path alone for a file as a whole.
  public var description: String { line == 0 ? file : "\(file):\(line):\(column)" }
}

/// Why a text is not JSON, and where. The text itself is never quoted, since it may be personal.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of error.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Value: String { case syntax, encoding, number, duplicateName, tooDeep, tooLarge }
    private var value: Value

    /// The text breaks JSON's grammar.
    public static let syntax = Code(value: .syntax)
    /// The text is not valid UTF-8, or an escape stands for half a surrogate pair.
    public static let encoding = Code(value: .encoding)
    /// A number that no double can hold.
    public static let number = Code(value: .number)
    /// An object has two members of one name.
    public static let duplicateName = Code(value: .duplicateName)
    /// Arrays and objects are nested deeper than the limit.
    public static let tooDeep = Code(value: .tooDeep)
    /// The text is longer than the limit.
    public static let tooLarge = Code(value: .tooLarge)

    /// The code's name.
    public var description: String { value.rawValue }
  }

  /// The kind of error.
  public var code: Code
  /// What was wrong and what was expected.
  public var message: String
  /// The line, from 1.
  public var line: Int
  /// The column in characters, from 1.
  public var column: Int

  /// Creates an error.
  public init(_ code: Code, _ message: String, line: Int, column: Int) {
    self.code = code
    self.message = message
    self.line = line
    self.column = column
  }

  /// `line 2, column 7: expected a value, found '}'`.
  public var description: String { "line \(line), column \(column): \(message)" }
}

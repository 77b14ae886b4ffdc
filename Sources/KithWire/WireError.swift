/// Why a message could not be read or written.
///
/// The text names the message and the field and what was expected; it never holds a value, since a
/// value may be personal.
public struct WireError: Error, Equatable, CustomStringConvertible {
  /// The kind of a failure.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The bytes are not what the wire format allows.
    public static let malformed = Code(.malformed)
    /// A text is not valid UTF-8.
    public static let invalidUTF8 = Code(.invalidUTF8)
    /// The message has more bytes, or needs more memory, than the limits allow.
    public static let tooLarge = Code(.tooLarge)
    /// Messages are nested deeper than the limits allow.
    public static let tooDeep = Code(.tooDeep)

    private enum Value: String { case malformed, invalidUTF8, tooLarge, tooDeep }
    private let value: Value
    private init(_ value: Value) { self.value = value }

    /// The name of the code.
    public var description: String { value.rawValue }
  }

  /// The kind of the failure.
  public var code: Code
  /// What was wrong, where, and what was expected.
  public var message: String

  /// Makes an error; `message` says what was wrong, where, and what was expected.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The code and the message.
  public var description: String { "\(code): \(message)" }
}

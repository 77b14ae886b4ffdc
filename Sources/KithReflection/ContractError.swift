/// Why a contract could not be read, or a value does not fit it. Never quotes what may be personal.
public struct ContractError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of error.
  public struct Code: Sendable, Hashable {
    private enum Value: Sendable {
      case malformedContract, unknownType, unknownName, wrongType, outOfRange, malformedMessage
    }
    private var value: Value

    /// The descriptor set is damaged or names a type that it does not hold.
    public static let malformedContract = Code(value: .malformedContract)
    /// A message, enum or service that the contracts do not have.
    public static let unknownType = Code(value: .unknownType)
    /// A field or an enum value that its type does not have.
    public static let unknownName = Code(value: .unknownName)
    /// A value of another type than the field has.
    public static let wrongType = Code(value: .wrongType)
    /// A value of the right type that the field cannot hold.
    public static let outOfRange = Code(value: .outOfRange)
    /// Bytes that are no encoding of the message.
    public static let malformedMessage = Code(value: .malformedMessage)
  }

  /// The kind of error.
  public var code: Code
  /// Where in the value, by the contract's names: `reasons[2].span`. Empty for the value as a
  /// whole.
  public var path: String
  /// What was wrong and what was expected.
  public var message: String
  /// Of an unknown name: the wrong name, so that the nearest right one can be looked for.
  public var unknownName: String?
  /// Of an unknown name: the names that would have been right.
  public var candidates: [String]

  /// Creates an error.
  public init(
    _ code: Code, _ message: String, path: String = "", unknownName: String? = nil,
    candidates: [String] = []
  ) {
    self.code = code
    self.path = path
    self.message = message
    self.unknownName = unknownName
    self.candidates = candidates
  }

  /// `reasons[2].share: expected a number, found a text`.
  public var description: String { path.isEmpty ? message : "\(path): \(message)" }
}

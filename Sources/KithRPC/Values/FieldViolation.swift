/// Says which field of a request was refused: the detail that INVALID_ARGUMENT carries.
public struct FieldViolation: Sendable, Equatable {
  /// The full name of the detail in the contract.
  public static let typeName = "kith.rpc.v1.FieldViolation"

  /// The path of the field by its proto names: `text` or `reasons[2].span`.
  public var field: String
  /// What was expected and what to do; never the value itself.
  public var description: String

  /// A refusal of `field`.
  public init(field: String, description: String) {
    self.field = field
    self.description = description
  }
}

/// A typed detail of a status: an encoded message and its full name.
public struct StatusDetail: Sendable, Equatable {
  /// The full name of the message: `kith.rpc.v1.FieldViolation`.
  public var type: String
  /// The encoded message.
  public var value: [UInt8]

  /// A detail of the given type.
  public init(type: String, value: [UInt8]) {
    self.type = type
    self.value = value
  }
}

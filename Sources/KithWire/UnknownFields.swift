/// Fields of a message that this build does not know: tag and value, byte for byte, in the order in which they came.
public struct UnknownFields: Sendable, Equatable {
  /// The raw fields, one behind the other.
  public var bytes: [UInt8]

  /// Whether there are none.
  public var isEmpty: Bool { bytes.isEmpty }

  /// The given raw fields.
  public init(bytes: [UInt8] = []) {
    self.bytes = bytes
  }
}

/// How a field is laid out on the wire.
public enum WireType: UInt8, Sendable {
  /// A number in groups of seven bits.
  case varint = 0
  /// Eight bytes.
  case fixed64 = 1
  /// A length and as many bytes.
  case lengthDelimited = 2
  /// The start of a group: proto2's predecessor of messages in messages.
  case startGroup = 3
  /// The end of a group.
  case endGroup = 4
  /// Four bytes.
  case fixed32 = 5
}

/// What stands in front of every field: its number and its layout.
public struct WireTag: Sendable, Hashable {
  /// The highest number of a field.
  public static let maximumField = 536_870_911

  /// The number of the field, from 1 to ``maximumField``.
  public let field: Int
  /// How the field is laid out.
  public let type: WireType

  /// A tag; nil when no field can have that number.
  public init?(field: Int, type: WireType) {
    guard (1...Self.maximumField).contains(field) else { return nil }
    self.field = field
    self.type = type
  }

  /// The tag as the number that is written.
  public var encoded: UInt64 { UInt64(field) << 3 | UInt64(type.rawValue) }
}

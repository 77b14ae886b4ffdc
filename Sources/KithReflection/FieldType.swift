/// The type of a field's value; the cases are the types of the proto language.
public enum FieldType: Sendable, Hashable {
  /// A 64-bit floating-point number.
  case double
  /// A 32-bit floating-point number.
  case float
  /// A signed number; negative ones take ten bytes.
  case int32
  /// A signed number; negative ones take ten bytes.
  case int64
  /// A number from 0 on.
  case uint32
  /// A number from 0 on.
  case uint64
  /// A signed number, small also when negative.
  case sint32
  /// A signed number, small also when negative.
  case sint64
  /// A number from 0 on in four bytes.
  case fixed32
  /// A number from 0 on in eight bytes.
  case fixed64
  /// A signed number in four bytes.
  case sfixed32
  /// A signed number in eight bytes.
  case sfixed64
  /// True or false.
  case bool
  /// Text in UTF-8.
  case string
  /// Any bytes.
  case bytes
  /// The message of that full name.
  case message(String)
  /// The enum of that full name.
  case enumeration(String)

  /// As it is written in a proto file, without the package of a named type: `string`, `Channel`.
  public var name: String {
    switch self {
    case .double: "double"
    case .float: "float"
    case .int32: "int32"
    case .int64: "int64"
    case .uint32: "uint32"
    case .uint64: "uint64"
    case .sint32: "sint32"
    case .sint64: "sint64"
    case .fixed32: "fixed32"
    case .fixed64: "fixed64"
    case .sfixed32: "sfixed32"
    case .sfixed64: "sfixed64"
    case .bool: "bool"
    case .string: "string"
    case .bytes: "bytes"
    case .message(let name), .enumeration(let name): ContractNames.last(of: name)
    }
  }

  /// How a value of the type lies on the wire.
  var wireType: UInt8 {
    switch self {
    case .int32, .int64, .uint32, .uint64, .sint32, .sint64, .bool, .enumeration: 0
    case .double, .fixed64, .sfixed64: 1
    case .string, .bytes, .message: 2
    case .float, .fixed32, .sfixed32: 5
    }
  }

  /// Whether a list of them may be packed into one field.
  var isPackable: Bool { wireType != 2 }

  /// Whether it can be the key of a map.
  public var isMapKey: Bool {
    switch self {
    case .double, .float, .bytes, .message, .enumeration: false
    default: true
    }
  }
}

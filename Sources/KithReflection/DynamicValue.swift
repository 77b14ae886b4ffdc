/// The value of a field whose contract is known only at run time.
public indirect enum DynamicValue: Sendable, Equatable {
  /// An entry of a map.
  public struct Entry: Sendable, Equatable {
    /// The key: a bool, a whole number or a text.
    public let key: DynamicValue
    /// The value.
    public let value: DynamicValue

    /// Creates an entry.
    public init(key: DynamicValue, value: DynamicValue) {
      self.key = key
      self.value = value
    }
  }

  /// A value of `bool`.
  case bool(Bool)
  /// A value of any signed type.
  case signed(Int64)
  /// A value of any unsigned type.
  case unsigned(UInt64)
  /// A value of `float`.
  case float(Float)
  /// A value of `double`.
  case double(Double)
  /// A value of `string`.
  case string(String)
  /// A value of `bytes`.
  case bytes([UInt8])
  /// The number of an enum's value.
  case enumeration(Int32)
  /// A message.
  case message(DynamicMessage)
  /// A list.
  case list([DynamicValue])
  /// A map, each key once.
  case map([Entry])

  /// Whether it is what an absent field without presence stands for.
  var isDefault: Bool {
    switch self {
    case .bool(let value): !value
    case .signed(let value): value == 0
    case .unsigned(let value): value == 0
    // Minus zero is not the default: it has another encoding.
    case .float(let value): value.bitPattern == 0
    case .double(let value): value.bitPattern == 0
    case .string(let value): value.isEmpty
    case .bytes(let value): value.isEmpty
    case .enumeration(let value): value == 0
    case .message, .list, .map: false
    }
  }

  var isEmptyCollection: Bool {
    switch self {
    case .list(let values): values.isEmpty
    case .map(let entries): entries.isEmpty
    default: false
    }
  }

  /// What an absent value of a type stands for; `nil` for a message.
  public static func defaultValue(of type: FieldType) -> DynamicValue? {
    switch type {
    case .double: .double(0)
    case .float: .float(0)
    case .int32, .int64, .sint32, .sint64, .sfixed32, .sfixed64: .signed(0)
    case .uint32, .uint64, .fixed32, .fixed64: .unsigned(0)
    case .bool: .bool(false)
    case .string: .string("")
    case .bytes: .bytes([])
    case .enumeration: .enumeration(0)
    case .message: nil
    }
  }
}

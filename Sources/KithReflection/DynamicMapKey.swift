/// The key of a map's entry as something that can be looked up and put in order.
enum DynamicMapKey: Hashable, Comparable {
  case bool(Bool)
  case signed(Int64)
  case unsigned(UInt64)
  /// The UTF-8 of a text: two spellings that Swift takes for the same text are two keys on the
  /// wire.
  case string([UInt8])

  /// The key in a value; what cannot be a key counts as the empty text.
  init(_ value: DynamicValue) {
    switch value {
    case .bool(let value): self = .bool(value)
    case .signed(let value): self = .signed(value)
    case .unsigned(let value): self = .unsigned(value)
    case .string(let value): self = .string(Array(value.utf8))
    default: self = .string([])
    }
  }

  static func < (left: DynamicMapKey, right: DynamicMapKey) -> Bool {
    switch (left, right) {
    case (.bool(let left), .bool(let right)): !left && right
    case (.signed(let left), .signed(let right)): left < right
    case (.unsigned(let left), .unsigned(let right)): left < right
    case (.string(let left), .string(let right)): left.lexicographicallyPrecedes(right)
    // The keys of one map have one type.
    default: false
    }
  }
}

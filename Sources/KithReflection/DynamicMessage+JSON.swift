public import KithJSON

/// How a message is written as JSON.
public struct MessageJSONOptions: Sendable, Hashable {
  /// Whether fields without presence are written also at their default, so that a program that
  /// reads the output finds the same names each time. An absent message, `optional` or member of a
  /// oneof is left out all the same.
  public var includesDefaults: Bool
  /// Whether names are those of the proto file (`next_step`) rather than JSON's (`nextStep`).
  public var usesProtoNames: Bool

  /// Options with these values.
  public init(includesDefaults: Bool = false, usesProtoNames: Bool = false) {
    self.includesDefaults = includesDefaults
    self.usesProtoNames = usesProtoNames
  }

  /// As the proto3 JSON mapping has it.
  public static let standard = MessageJSONOptions()
}

extension DynamicMessage {
  /// The message in the proto3 JSON mapping; `contracts` are those that it was read with.
  public func json(
    _ contracts: ContractSet, options: MessageJSONOptions = .standard
  ) -> JSONValue {
    var object = JSONObject()
    for field in type.fields {
      let name = options.usesProtoNames ? field.name : field.jsonName
      if let value = self[field] {
        object[name] = value.json(of: field, contracts, options)
      } else if options.includesDefaults {
        object[name] = Self.absent(field, contracts, options)
      }
    }
    return .object(object)
  }

  private static func absent(
    _ field: FieldDescription, _ contracts: ContractSet, _ options: MessageJSONOptions
  ) -> JSONValue? {
    switch field.cardinality {
    case .repeated: .array([])
    case .map: .object(JSONObject())
    case .explicit: nil
    case .implicit:
      DynamicValue.defaultValue(of: field.type)?.json(of: field, contracts, options)
    }
  }
}

extension DynamicValue {
  /// The value in the proto3 JSON mapping; `field` is the field that holds it.
  func json(
    of field: FieldDescription, _ contracts: ContractSet, _ options: MessageJSONOptions
  ) -> JSONValue {
    switch self {
    case .bool(let value): return .bool(value)
    case .signed(let value):
      return field.type.has64Bits ? .string(String(value)) : .integer(value)
    case .unsigned(let value):
      return field.type.has64Bits ? .string(String(value)) : JSONValue(value)
    case .float(let value):
      // The shortest text that reads back as the same float, not that of the double next to it.
      return Self.json(real: value, shortest: Double(value.description) ?? Double(value))
    case .double(let value): return Self.json(real: value, shortest: value)
    case .string(let value): return .string(value)
    case .bytes(let value): return .string(Base64.encode(value))
    case .enumeration(let number):
      guard case .enumeration(let type) = field.type,
        let value = contracts.enumeration(named: type)?.value(number: number)
      else { return .integer(Int64(number)) }
      return .string(value.name)
    case .message(let message): return message.json(contracts, options: options)
    case .list(let values): return .array(values.map { $0.json(of: field, contracts, options) })
    case .map(let entries):
      let sorted = entries.sorted { DynamicMapKey($0.key) < DynamicMapKey($1.key) }
      return .object(
        JSONObject(sorted.map { ($0.key.mapKeyText, $0.value.json(of: field, contracts, options)) })
      )
    }
  }

  private static func json(real value: some BinaryFloatingPoint, shortest: Double) -> JSONValue {
    if value.isNaN { return .string("NaN") }
    if value.isInfinite { return .string(value < 0 ? "-Infinity" : "Infinity") }
    return .number(shortest)
  }

  /// The key of a map as a text: `7`, `true`, `name`.
  public var mapKeyText: String {
    switch self {
    case .bool(let value): String(value)
    case .signed(let value): String(value)
    case .unsigned(let value): String(value)
    case .string(let value): value
    default: ""
    }
  }
}

extension FieldType {
  /// Whether its numbers do not fit a JavaScript number, and are texts in JSON.
  var has64Bits: Bool {
    switch self {
    case .int64, .uint64, .sint64, .fixed64, .sfixed64: true
    default: false
    }
  }
}

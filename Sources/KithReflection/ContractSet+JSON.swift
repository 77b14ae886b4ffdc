public import KithJSON

extension ContractSet {
  /// A message from the proto3 JSON mapping: names as in JSON or as in the proto file, 64-bit
  /// numbers as texts or numbers, bytes in base64, enums by name or number, `null` as absent.
  /// - Throws: ``ContractError``, which names the field by its path and, for an unknown name, the
  ///   names that there are.
  public func message(_ type: String, from json: JSONValue) throws(ContractError) -> DynamicMessage
  {
    guard let description = message(named: type) else {
      throw ContractError(.unknownType, "the contracts have no message \(type)")
    }
    return try JSONReading(contracts: self).message(description, from: json, path: "")
  }

  /// One value of a field from JSON; of a list or map one of its values.
  /// - Parameter path: where the value stands, for errors.
  public func value(
    of field: FieldDescription, from json: JSONValue, path: String
  ) throws(ContractError) -> DynamicValue {
    try JSONReading(contracts: self).value(of: field.type, from: json, path: path)
  }

  /// One value of a scalar type from a text, as a person types it: `0.7`, `true`, `sms`,
  /// `LIKELY_SCAM`.
  ///
  /// Enums are taken by their name, their short name (`likely-scam`) and their number.
  /// - Parameter path: where the value stands, for errors.
  public func value(
    of type: FieldType, from text: String, path: String
  ) throws(ContractError) -> DynamicValue {
    try JSONReading(contracts: self).value(of: type, fromText: text, path: path)
  }
}

private struct JSONReading {
  let contracts: ContractSet

  func message(
    _ type: MessageTypeDescription, from json: JSONValue, path: String
  ) throws(ContractError) -> DynamicMessage {
    guard let object = json.objectValue else {
      throw Self.mismatch("an object with the fields of \(type.name)", json, path)
    }
    var message = DynamicMessage(type)
    var seen: Set<Int32> = []
    var chosen: [String: String] = [:]
    for member in object {
      guard let field = type.field(named: member.name) else {
        throw ContractError(
          .unknownName,
          "\(type.name) has no field '\(Self.shown(member.name))'",
          path: path, unknownName: member.name, candidates: type.fields.map(\.jsonName))
      }
      let place = Self.join(path, field.name)
      guard seen.insert(field.number).inserted else {
        throw ContractError(
          .wrongType, "the field is given twice, as \(field.name) and as \(field.jsonName)",
          path: place)
      }
      if member.value.isNull { continue }
      if let oneof = field.oneof {
        if let other = chosen.updateValue(field.name, forKey: oneof) {
          throw ContractError(
            .wrongType, "'\(oneof)' is one of several fields, and \(other) is given already",
            path: place)
        }
      }
      message[field] = try self.value(of: field, from: member.value, path: place)
    }
    return message
  }

  private func value(
    of field: FieldDescription, from json: JSONValue, path: String
  ) throws(ContractError) -> DynamicValue {
    switch field.cardinality {
    case .implicit, .explicit: return try value(of: field.type, from: json, path: path)
    case .repeated:
      guard let elements = json.arrayValue else { throw Self.mismatch("a list", json, path) }
      var values: [DynamicValue] = []
      for (position, element) in elements.enumerated() {
        values.append(try value(of: field.type, from: element, path: "\(path)[\(position)]"))
      }
      return .list(values)
    case .map(let keyType):
      guard let object = json.objectValue else {
        throw Self.mismatch("an object with a member for each key", json, path)
      }
      var entries: [DynamicValue.Entry] = []
      var keys: Set<DynamicMapKey> = []
      for (position, member) in object.enumerated() {
        // A key may be personal: the path counts.
        let place = "\(path)[\(position)]"
        let key = try value(of: keyType, fromText: member.name, path: "\(place) (the key)")
        guard keys.insert(DynamicMapKey(key)).inserted else {
          throw ContractError(.wrongType, "the key is given twice", path: place)
        }
        entries.append(
          DynamicValue.Entry(
            key: key, value: try value(of: field.type, from: member.value, path: place)))
      }
      return .map(entries)
    }
  }

  func value(
    of type: FieldType, from json: JSONValue, path: String
  ) throws(ContractError) -> DynamicValue {
    switch type {
    case .bool:
      guard let value = json.boolValue else { throw Self.mismatch("true or false", json, path) }
      return .bool(value)
    case .string:
      guard let value = json.stringValue else { throw Self.mismatch("a text", json, path) }
      return .string(value)
    case .bytes:
      guard let text = json.stringValue else {
        throw Self.mismatch("a text in base64", json, path)
      }
      guard let value = Base64.decode(text) else {
        throw ContractError(.outOfRange, "expected base64", path: path)
      }
      return .bytes(value)
    case .message(let name):
      guard let description = contracts.message(named: name) else {
        throw ContractError(.unknownType, "the contracts have no message \(name)", path: path)
      }
      return .message(try message(description, from: json, path: path))
    case .enumeration(let name):
      guard let description = contracts.enumeration(named: name) else {
        throw ContractError(.unknownType, "the contracts have no enum \(name)", path: path)
      }
      if let text = json.stringValue {
        guard let value = description.value(named: text) else {
          throw Self.unknown(text, of: description, description.values.map(\.name), path)
        }
        return .enumeration(value.number)
      }
      guard let number = json.integerValue else {
        throw Self.mismatch("a name or number of \(description.name)", json, path)
      }
      guard let number = Int32(exactly: number) else {
        throw Self.outOfRange(.int32, path)
      }
      return .enumeration(number)
    case .double, .float:
      if let number = json.doubleValue { return try Self.real(number, type, path) }
      guard let text = json.stringValue else { throw Self.mismatch("a number", json, path) }
      return try value(of: type, fromText: text, path: path)
    default:
      switch json {
      case .integer, .unsigned, .number: return try Self.whole(json, type, path)
      case .string(let text): return try value(of: type, fromText: text, path: path)
      default: throw Self.mismatch("a whole number", json, path)
      }
    }
  }

  func value(
    of type: FieldType, fromText text: String, path: String
  ) throws(ContractError) -> DynamicValue {
    switch type {
    case .bool:
      switch text {
      case "true": return .bool(true)
      case "false": return .bool(false)
      default: throw ContractError(.wrongType, "expected true or false", path: path)
      }
    case .string: return .string(text)
    case .double, .float:
      switch text {
      case "NaN": return type == .float ? .float(.nan) : .double(.nan)
      case "Infinity": return type == .float ? .float(.infinity) : .double(.infinity)
      case "-Infinity": return type == .float ? .float(-.infinity) : .double(-.infinity)
      default:
        guard let number = Self.number(text)?.doubleValue else {
          throw ContractError(.wrongType, "expected a number", path: path)
        }
        return try Self.real(number, type, path)
      }
    case .enumeration(let name):
      guard let description = contracts.enumeration(named: name) else {
        throw ContractError(.unknownType, "the contracts have no enum \(name)", path: path)
      }
      let named = description.values.first {
        $0.name == text || description.shortName(of: $0) == text
      }
      if let named { return .enumeration(named.number) }
      if let number = Self.number(text)?.integerValue {
        guard let number = Int32(exactly: number) else { throw Self.outOfRange(.int32, path) }
        return .enumeration(number)
      }
      throw Self.unknown(
        text, of: description, description.values.map { description.shortName(of: $0) }, path)
    case .bytes, .message: return try value(of: type, from: .string(text), path: path)
    default:
      guard let number = Self.number(text) else {
        throw ContractError(.wrongType, "expected a whole number", path: path)
      }
      return try Self.whole(number, type, path)
    }
  }

  // MARK: Numbers

  /// A number written as in JSON and nothing else: no spaces, no `0x`, no `inf`.
  private static func number(_ text: String) -> JSONValue? {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard let first = text.utf8.first, let last = text.utf8.last, text.utf8.count <= 400,
      digits.contains(first) || first == UInt8(ascii: "-"), digits.contains(last)
    else { return nil }
    let value = try? JSONValue(parsing: text)
    return value?.doubleValue == nil ? nil : value
  }

  private static func real(
    _ number: Double, _ type: FieldType, _ path: String
  ) throws(ContractError) -> DynamicValue {
    guard type == .float else { return .double(number) }
    let value = Float(number)
    guard value.isFinite else { throw outOfRange(type, path) }
    return .float(value)
  }

  private static func whole(
    _ number: JSONValue, _ type: FieldType, _ path: String
  ) throws(ContractError) -> DynamicValue {
    if case .number(let value) = number, value.rounded() != value {
      throw ContractError(.wrongType, "expected a whole number, found a fraction", path: path)
    }
    let fits: DynamicValue? =
      switch type {
      case .int32, .sint32, .sfixed32:
        number.integerValue.flatMap { Int32(exactly: $0) }.map { .signed(Int64($0)) }
      case .uint32, .fixed32:
        number.unsignedValue.flatMap { UInt32(exactly: $0) }.map { .unsigned(UInt64($0)) }
      case .uint64, .fixed64: number.unsignedValue.map { .unsigned($0) }
      default: number.integerValue.map { .signed($0) }
      }
    guard let fits else { throw outOfRange(type, path) }
    return fits
  }

  private static func range(of type: FieldType) -> String {
    switch type {
    case .int32, .sint32, .sfixed32: "\(Int32.min) to \(Int32.max)"
    case .uint32, .fixed32: "0 to \(UInt32.max)"
    case .uint64, .fixed64: "0 to \(UInt64.max)"
    case .float: "a number that 32 bits hold, up to 3.4e38"
    default: "\(Int64.min) to \(Int64.max)"
    }
  }

  // MARK: Errors

  private static func outOfRange(_ type: FieldType, _ path: String) -> ContractError {
    ContractError(.outOfRange, "out of range; expected \(range(of: type))", path: path)
  }

  private static func mismatch(
    _ expected: String, _ found: JSONValue, _ path: String
  ) -> ContractError {
    ContractError(
      .wrongType, "expected \(expected), found \(found.kindDescription)", path: path)
  }

  private static func unknown(
    _ name: String, of type: EnumDescription, _ candidates: [String], _ path: String
  ) -> ContractError {
    ContractError(
      .unknownName,
      "\(type.name) has no value '\(shown(name))'; expected one of "
        + candidates.joined(separator: ", "), path: path, unknownName: name, candidates: candidates)
  }

  /// A name in an error: cut when it is long, and without what could steer a terminal.
  private static func shown(_ name: String) -> String {
    let longest = 60
    let safe = name.unicodeScalars.prefix(longest).map { scalar in
      scalar.properties.generalCategory == .control ? "\u{fffd}" : Character(scalar)
    }
    return String(safe) + (name.unicodeScalars.count > longest ? "..." : "")
  }

  private static func join(_ path: String, _ name: String) -> String {
    path.isEmpty ? name : "\(path).\(name)"
  }
}

import KithWire

extension ContractSet {
  /// Reads an encoded message of that type.
  ///
  /// As every protobuf decoder does: the last value of a single field stands, messages given twice
  /// are merged, numbers of a list are read packed and one by one, and fields that the contract
  /// does not know are passed over and counted.
  /// - Throws: ``ContractError`` `.unknownType` or `.malformedMessage`.
  public func decode(_ bytes: [UInt8], as type: String) throws(ContractError) -> DynamicMessage {
    guard let description = message(named: type) else {
      throw ContractError(.unknownType, "the contracts have no message \(type)")
    }
    var message = DynamicMessage(description)
    do throws(WireError) {
      try bytes.withWireReader { reader throws(WireError) in
        try WireDecoding(contracts: self).merge(from: &reader, into: &message, depth: 1)
      }
    } catch {
      throw ContractError(
        .malformedMessage, "the bytes are no \(description.name): \(error.message)")
    }
    return message
  }
}

private struct WireDecoding {
  /// How deep messages may be nested, as in `DecodingLimits`.
  static let maximumDepth = 100

  let contracts: ContractSet

  func merge(
    from reader: inout WireReader, into message: inout DynamicMessage, depth: Int
  ) throws(WireError) {
    guard depth <= Self.maximumDepth else {
      throw WireError(.tooDeep, "messages are nested deeper than \(Self.maximumDepth)")
    }
    // Lists and maps are gathered first: to read each back from the message for every element would
    // be quadratic.
    var lists: [Int32: [DynamicValue]] = [:]
    var maps: [Int32: MapEntries] = [:]
    while !reader.isAtEnd {
      let tag = try reader.tag()
      guard let field = message.type.field(number: Int32(tag.field)) else {
        try reader.skip(tag)
        message.unknownFieldCount += 1
        continue
      }
      switch field.cardinality {
      case .implicit, .explicit:
        guard tag.type.rawValue == field.type.wireType else {
          try skipMisfit(tag, field, &reader, &message)
          continue
        }
        message[field] = try value(
          of: field.type, from: &reader, onto: message[field], depth: depth)
      case .repeated:
        if tag.type.rawValue == field.type.wireType {
          let element = try value(of: field.type, from: &reader, onto: nil, depth: depth)
          lists[field.number, default: []].append(element)
        } else if tag.type == .lengthDelimited, field.type.isPackable {
          var packed = WireReader(try reader.bytes())
          while !packed.isAtEnd {
            let element = try value(of: field.type, from: &packed, onto: nil, depth: depth)
            lists[field.number, default: []].append(element)
          }
        } else {
          try skipMisfit(tag, field, &reader, &message)
        }
      case .map(let keyType):
        guard tag.type == .lengthDelimited else {
          try skipMisfit(tag, field, &reader, &message)
          continue
        }
        var entryReader = WireReader(try reader.bytes())
        let entry = try entry(
          keyType: keyType, valueType: field.type, from: &entryReader, depth: depth)
        maps[field.number, default: MapEntries()].set(entry)
      }
    }
    Self.add(lists, maps, to: &message)
  }

  /// Adds what was gathered of lists and maps to what the message has already.
  private static func add(
    _ lists: [Int32: [DynamicValue]], _ maps: [Int32: MapEntries],
    to message: inout DynamicMessage
  ) {
    for field in message.type.fields {
      if let new = lists[field.number] {
        guard case .list(let old)? = message[field] else {
          message[field] = .list(new)
          continue
        }
        message[field] = .list(old + new)
      }
      if var new = maps[field.number] {
        if case .map(let old)? = message[field] { new = MapEntries(old, overriddenBy: new) }
        message[field] = .map(new.entries)
      }
    }
  }

  /// A field that the contract knows with another layout is treated as one that it does not know.
  private func skipMisfit(
    _ tag: WireTag, _ field: FieldDescription, _ reader: inout WireReader,
    _ message: inout DynamicMessage
  ) throws(WireError) {
    try reader.skip(tag)
    message.unknownFieldCount += 1
  }

  private func value(
    of type: FieldType, from reader: inout WireReader, onto old: DynamicValue?, depth: Int
  ) throws(WireError) -> DynamicValue {
    switch type {
    case .double: return .double(Double(bitPattern: try reader.fixed64()))
    case .float: return .float(Float(bitPattern: try reader.fixed32()))
    case .int32: return .signed(Int64(Int32(truncatingIfNeeded: try reader.varint())))
    case .int64: return .signed(Int64(bitPattern: try reader.varint()))
    case .uint32: return .unsigned(UInt64(UInt32(truncatingIfNeeded: try reader.varint())))
    case .uint64: return .unsigned(try reader.varint())
    case .sint32:
      // Cut to 32 bits before its sign is undone, as every decoder of protobuf does with a longer
      // number.
      let number = UInt32(truncatingIfNeeded: try reader.varint())
      return .signed(Int64(Int32(bitPattern: number >> 1) ^ -Int32(bitPattern: number & 1)))
    case .sint64: return .signed(try reader.zigZag())
    case .fixed32: return .unsigned(UInt64(try reader.fixed32()))
    case .fixed64: return .unsigned(try reader.fixed64())
    case .sfixed32: return .signed(Int64(Int32(bitPattern: try reader.fixed32())))
    case .sfixed64: return .signed(Int64(bitPattern: try reader.fixed64()))
    case .bool: return .bool(try reader.varint() != 0)
    case .enumeration: return .enumeration(Int32(truncatingIfNeeded: try reader.varint()))
    case .string: return .string(try reader.text())
    case .bytes: return .bytes(Array(try reader.bytes()))
    case .message(let name):
      var inner = WireReader(try reader.bytes())
      var message: DynamicMessage
      if case .message(let known)? = old { message = known } else { message = try empty(name) }
      try merge(from: &inner, into: &message, depth: depth + 1)
      return .message(message)
    }
  }

  private func entry(
    keyType: FieldType, valueType: FieldType, from reader: inout WireReader, depth: Int
  ) throws(WireError) -> DynamicValue.Entry {
    var key = DynamicValue.defaultValue(of: keyType)
    var value = DynamicValue.defaultValue(of: valueType)
    while !reader.isAtEnd {
      let tag = try reader.tag()
      switch tag.field {
      case 1 where tag.type.rawValue == keyType.wireType:
        key = try self.value(of: keyType, from: &reader, onto: nil, depth: depth)
      case 2 where tag.type.rawValue == valueType.wireType:
        value = try self.value(of: valueType, from: &reader, onto: value, depth: depth)
      default: try reader.skip(tag)
      }
    }
    if value == nil, case .message(let name) = valueType { value = .message(try empty(name)) }
    guard let key, let value else { throw WireError(.malformed, "an entry of a map has no key") }
    return DynamicValue.Entry(key: key, value: value)
  }

  private func empty(_ name: String) throws(WireError) -> DynamicMessage {
    guard let type = contracts.message(named: name) else {
      throw WireError(.malformed, "the contracts have no message \(name)")
    }
    return DynamicMessage(type)
  }
}

/// The entries of a map, each key once, in the order in which they came.
private struct MapEntries {
  private(set) var entries: [DynamicValue.Entry] = []
  private var positions: [DynamicMapKey: Int] = [:]

  init() {}

  init(_ old: [DynamicValue.Entry], overriddenBy new: MapEntries) {
    for entry in old + new.entries { set(entry) }
  }

  mutating func set(_ entry: DynamicValue.Entry) {
    let key = DynamicMapKey(entry.key)
    if let position = positions[key] {
      entries[position] = entry
    } else {
      positions[key] = entries.count
      entries.append(entry)
    }
  }
}

extension DynamicMessage {
  /// The message encoded: fields by number, lists of numbers packed, maps by key.
  public func encoded() -> [UInt8] {
    var writer = WireWriter()
    for field in fields {
      write(field.value, of: field.description, to: &writer)
    }
    return writer.bytes
  }

  private func write(
    _ value: DynamicValue, of field: FieldDescription, to writer: inout WireWriter
  ) {
    switch value {
    case .list(let values):
      if case .repeated(isPacked: true) = field.cardinality {
        var packed = WireWriter()
        for value in values { write(content: value, of: field.type, to: &packed) }
        write(tag: field.number, wireType: 2, to: &writer)
        writer.bytes(packed.bytes)
      } else {
        for value in values {
          write(tag: field.number, wireType: field.type.wireType, to: &writer)
          write(content: value, of: field.type, to: &writer)
        }
      }
    case .map(let entries):
      guard case .map(let keyType) = field.cardinality else { return }
      for entry in entries.sorted(by: { DynamicMapKey($0.key) < DynamicMapKey($1.key) }) {
        var inner = WireWriter()
        write(tag: 1, wireType: keyType.wireType, to: &inner)
        write(content: entry.key, of: keyType, to: &inner)
        write(tag: 2, wireType: field.type.wireType, to: &inner)
        write(content: entry.value, of: field.type, to: &inner)
        write(tag: field.number, wireType: 2, to: &writer)
        writer.bytes(inner.bytes)
      }
    default:
      write(tag: field.number, wireType: field.type.wireType, to: &writer)
      write(content: value, of: field.type, to: &writer)
    }
  }

  private func write(tag field: Int32, wireType: UInt8, to writer: inout WireWriter) {
    writer.varint(UInt64(field) << 3 | UInt64(wireType))
  }

  private func write(content value: DynamicValue, of type: FieldType, to writer: inout WireWriter) {
    switch value {
    case .bool(let value): writer.varint(value ? 1 : 0)
    case .signed(let value):
      switch type {
      case .sint32, .sint64: writer.zigZag(value)
      case .sfixed32: writer.fixed32(UInt32(truncatingIfNeeded: value))
      case .sfixed64: writer.fixed64(UInt64(bitPattern: value))
      default: writer.varint(UInt64(bitPattern: value))
      }
    case .unsigned(let value):
      switch type {
      case .fixed32: writer.fixed32(UInt32(truncatingIfNeeded: value))
      case .fixed64: writer.fixed64(value)
      default: writer.varint(value)
      }
    case .enumeration(let value): writer.varint(UInt64(bitPattern: Int64(value)))
    case .float(let value): writer.fixed32(value.bitPattern)
    case .double(let value): writer.fixed64(value.bitPattern)
    case .string(let value): writer.text(value)
    case .bytes(let value): writer.bytes(value)
    case .message(let value): writer.bytes(value.encoded())
    // Lists and maps are never elements: `write(_:of:to:)` has taken them apart.
    case .list, .map: break
    }
  }
}

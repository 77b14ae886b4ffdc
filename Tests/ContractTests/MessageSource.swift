import DescriptorContract
import KithWire

/// Writes random messages of any contract, straight to bytes.
struct MessageSource {
  private let schema: Schema
  var random: SeededGenerator
  /// Whether to write what an encoder need not write but a decoder must read: fields in any order
  /// and twice, defaults, numbers one by one that could be packed, fields that the contract does
  /// not name.
  let isLoose: Bool
  /// How deep messages are nested in the message, and whether texts and bytes can be long.
  let maximumDepth: Int

  init(_ schema: Schema = .standard, seed: UInt64, isLoose: Bool, maximumDepth: Int = 4) {
    self.schema = schema
    self.isLoose = isLoose
    self.maximumDepth = maximumDepth
    random = SeededGenerator(seed: seed)
  }

  /// A message with this full name.
  mutating func message(_ name: String) -> [UInt8] {
    message(name, depth: 0)
  }

  private mutating func message(_ name: String, depth: Int) -> [UInt8] {
    guard let message = schema.messages[name] else { return [] }
    var fields: [[UInt8]] = []
    var chosen: Set<Int32> = []
    let sparsity = message.field.count > 20 ? 3 + 3 * depth : 2
    for field in message.field.shuffled(using: &random) {
      guard field.label == .required || random.oneIn(sparsity) else { continue }
      if let choice = field.choice, !chosen.insert(choice).inserted,
        !isLoose || message.hasMessage(inChoice: choice)
      {
        continue
      }
      if field.type == .message, depth >= maximumDepth { continue }
      fields.append(self.field(field, in: name, depth: depth))
      if isLoose, field.choice == nil, random.oneIn(6) {
        fields.append(self.field(field, in: name, depth: depth))
      }
    }
    if isLoose, random.oneIn(3) { fields.append(unknownField(notIn: message)) }
    return fields.flatMap { $0 }
  }

  private mutating func field(
    _ field: FieldDescriptorProto, in message: String, depth: Int
  ) -> [UInt8] {
    var writer = WireWriter()
    let number = Int(field.number ?? 0)
    let count = field.isRepeated ? Int.random(in: 1...4, using: &random) : 1
    if field.isPackable, !isLoose || Bool.random(using: &random) {
      var packed = WireWriter()
      for _ in 0..<count { write(field, in: message, depth: depth, to: &packed) }
      writer.tag(number, .lengthDelimited)
      writer.bytes(packed.bytes)
    } else {
      for _ in 0..<count {
        writer.tag(number, field.wireType)
        write(field, in: message, depth: depth, to: &writer)
      }
    }
    return writer.bytes
  }

  private mutating func write(
    _ field: FieldDescriptorProto, in message: String, depth: Int, to writer: inout WireWriter
  ) {
    switch field.type {
    case .double: writer.fixed64(real().bitPattern)
    case .float: writer.fixed32(Float(real()).bitPattern)
    case .fixed64, .sfixed64: writer.fixed64(UInt64(bitPattern: number()))
    case .fixed32, .sfixed32: writer.fixed32(UInt32(truncatingIfNeeded: number()))
    case .int64, .uint64: writer.varint(UInt64(bitPattern: number()))
    case .int32:
      writer.varint(UInt64(bitPattern: Int64(Int32(truncatingIfNeeded: number()))))
    case .uint32: writer.varint(UInt64(UInt32(truncatingIfNeeded: number())))
    case .sint64: writer.zigZag(number())
    case .sint32: writer.zigZag(Int64(Int32(truncatingIfNeeded: number())))
    case .bool: writer.varint(Bool.random(using: &random) ? 1 : 0)
    case .enum: writer.varint(UInt64(bitPattern: Int64(enumValue(field, in: message))))
    case .string: writer.text(text())
    case .bytes: writer.bytes(bytes())
    default:
      let name = String(field.typeName?.dropFirst() ?? "")
      writer.bytes(self.message(name, depth: depth + 1))
    }
  }

  private mutating func number() -> Int64 {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: 0
    case 1: 1
    case 2: -1
    case 3: .max
    case 4: .min
    case 5: Int64(Int32.min)
    case 6: Int64.random(in: -1000...1000, using: &random)
    default: Int64(bitPattern: random.next())
    }
  }

  private mutating func real() -> Double {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: 0
    case 1: -0.0
    case 2: .nan
    case 3: -.infinity
    case 4: .leastNonzeroMagnitude
    default: Double.random(in: -1e6...1e6, using: &random)
    }
  }

  private mutating func enumValue(_ field: FieldDescriptorProto, in message: String) -> Int32 {
    let values = schema.enums[String(field.typeName?.dropFirst() ?? "")]?.value ?? []
    if !schema.proto2.contains(message), random.oneIn(4) {
      return Int32(truncatingIfNeeded: number())
    }
    return values.randomElement(using: &random)?.number ?? 0
  }

  private mutating func text() -> String {
    let pieces = ["", "a", "\0", "gift card", "é", "警告", "👵🏽", "\u{FFFD}", "\u{10FFFF}", "\r\n"]
    let count = maximumDepth > 1 && random.oneIn(20) ? 100 : Int.random(in: 0...4, using: &random)
    return (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
  }

  private mutating func bytes() -> [UInt8] {
    let count = maximumDepth > 1 && random.oneIn(20) ? 200 : Int.random(in: 0...6, using: &random)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  private mutating func unknownField(notIn message: DescriptorProto) -> [UInt8] {
    let known = Set(message.field.compactMap(\.number))
    var number: Int32
    repeat {
      number = Int32.random(in: 1...(random.oneIn(2) ? 300 : 536_870_911), using: &random)
    } while known.contains(number)
    var writer = WireWriter()
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      writer.tag(Int(number), .varint)
      writer.varint(random.next())
    case 1:
      writer.tag(Int(number), .fixed32)
      writer.fixed32(UInt32(truncatingIfNeeded: random.next()))
    case 2:
      writer.tag(Int(number), .fixed64)
      writer.fixed64(random.next())
    default:
      writer.tag(Int(number), .lengthDelimited)
      writer.bytes(bytes())
    }
    return writer.bytes
  }
}

extension DescriptorProto {
  /// Whether a member of a oneof is a message: where such a oneof is sent twice, implementations
  /// differ.
  func hasMessage(inChoice choice: Int32) -> Bool {
    field.contains { $0.choice == choice && $0.type == .message }
  }
}

extension WireWriter {
  mutating func tag(_ field: Int, _ type: WireType) {
    if let tag = WireTag(field: field, type: type) { self.tag(tag) }
  }
}

import DescriptorContract
import KithWire

/// Where libprotobuf-c and swift-protobuf read the same bytes differently, and how bytes are told
/// that come near such a place. All of it is outside of what an encoder writes.
enum Difference: String, Sendable, CaseIterable {
  /// A known field with the layout of another type. libprotobuf-c refuses the message;
  /// swift-protobuf keeps the field as an unknown one.
  case otherType
  /// A group. libprotobuf-c refuses the message; swift-protobuf keeps an unknown group.
  case group
  /// A length in more than five bytes, padded with zeros. libprotobuf-c refuses the message.
  case overlongLength
  /// A tag in more bytes than it needs. Both read it; an unknown field's tag is then written in as
  /// few as it needs here and as it came there.
  case paddedTag
  /// A oneof with a message in it that is sent twice. libprotobuf-c takes what comes last;
  /// swift-protobuf merges what comes last into what it finds.
  case choiceTwice
  /// A number that a closed enumeration of proto2 does not name. It stays in its field here and
  /// moves to the unknown fields there.
  case closedEnum
  /// A text that another text in the same field or oneof replaces. Only what is left is checked for
  /// UTF-8 here, all of it there.
  case replacedText
  /// A map's entry. libprotobuf-c reads one as any message; swift-protobuf counts no depth for it
  /// and has its own ideas about fields in it that are no key or value.
  case oddMapEntry

  /// What is found in the bytes of a message.
  static func all(in bytes: [UInt8], of name: String, _ schema: Schema = .standard) -> Set<
    Difference
  > {
    var found: Set<Difference> = []
    bytes.withWireReader { reader in
      // Bytes that end in the middle of a field hold what was found before.
      try? find(in: &reader, of: name, schema, &found)
    }
    return found
  }

  private static func find(
    in reader: inout WireReader, of name: String, _ schema: Schema, _ found: inout Set<Difference>
  ) throws(WireError) {
    guard let message = schema.messages[name] else { return }
    let isEntry = message.options?.mapEntry == true
    var choices: Set<Int32> = []
    var texts: Set<Int32> = []
    while !reader.isAtEnd {
      let start = reader.offset
      let tag = try reader.tag()
      let length = reader.offset - start
      if length > WireWriter.size(of: tag) { found.insert(.paddedTag) }
      if tag.type == .startGroup || tag.type == .endGroup { found.insert(.group) }
      let field = message.field.first { $0.number == Int32(tag.field) }
      if let choice = field?.choice, !choices.insert(choice).inserted {
        let members = message.field.filter { $0.choice == choice }
        if members.contains(where: { $0.type == .message }) { found.insert(.choiceTwice) }
        if members.contains(where: { $0.type == .string }) { found.insert(.replacedText) }
      }
      guard tag.type == .lengthDelimited else {
        if let field, tag.type != field.wireType { found.insert(.otherType) }
        if isEntry, field == nil { found.insert(.oddMapEntry) }
        if let field, field.type == .enum, schema.proto2.contains(name), tag.type == .varint {
          var ahead = reader
          let number = Int32(truncatingIfNeeded: try ahead.varint())
          let values = schema.enums[String(field.typeName?.dropFirst() ?? "")]?.value ?? []
          if !values.contains(where: { $0.number == number }) { found.insert(.closedEnum) }
        }
        try reader.skip(tag)
        continue
      }
      let before = reader.offset
      let value = try reader.bytes()
      if reader.offset - before - value.count > 5 { found.insert(.overlongLength) }
      guard let field else {
        if isEntry { found.insert(.oddMapEntry) }
        continue
      }
      if field.type == .string, !field.isRepeated, !texts.insert(field.number ?? 0).inserted {
        found.insert(.replacedText)
      }
      if field.wireType != .lengthDelimited, !field.isPackable { found.insert(.otherType) }
      if let (nested, _) = schema.message(of: field) {
        var inner = WireReader(value)
        try find(in: &inner, of: nested, schema, &found)
      }
    }
  }
}

extension WireWriter {
  /// How many bytes a tag needs.
  static func size(of tag: WireTag) -> Int {
    var writer = WireWriter()
    writer.tag(tag)
    return writer.bytes.count
  }
}

import CProtobufC

/// Takes Swift values out of unpacked C structs. For generated code.
///
/// Names of fields are passed along for errors only.
public enum Unpacked {
  /// The text in a `ProtobufCBinaryData`, the type that `CBytes` stands for.
  ///
  /// - Throws: ``WireError`` when it is not valid UTF-8, with `field` as the name of the field.
  @inlinable
  public static func text<CBytes: BitwiseCopyable>(
    _ bytes: CBytes, _ field: StaticString
  ) throws(WireError) -> String {
    let utf8 = unsafeBitCast(bytes, to: ByteString.self).bytes
    guard let text = String(utf8: utf8) else { throw invalidText(field) }
    return text
  }

  @usableFromInline
  static func invalidText(_ field: StaticString) -> WireError {
    WireError(.invalidUTF8, "\(field) is not valid UTF-8; a text must be")
  }

  /// The bytes in a `ProtobufCBinaryData`, the type that `CBytes` stands for.
  @inlinable
  public static func bytes<CBytes: BitwiseCopyable>(_ bytes: CBytes) -> [UInt8] {
    [UInt8](unsafeBitCast(bytes, to: ByteString.self).bytes)
  }

  /// Appends the `count` numbers at `data`, which C and Swift lay out alike.
  @inlinable
  public static func append<Number: BitwiseCopyable>(
    _ data: UnsafeMutablePointer<Number>?, _ count: Int, to numbers: inout [Number]
  ) {
    guard count > 0 else { return }
    numbers.append(contentsOf: UnsafeBufferPointer(start: data, count: count))
  }

  /// Appends the `count` switches at `data`, which are 64-bit numbers on the C side.
  public static func append(
    _ data: UnsafeMutablePointer<UInt64>?, _ count: Int, to switches: inout [Bool]
  ) {
    for number in UnsafeBufferPointer(start: data, count: count) { switches.append(number != 0) }
  }

  /// Appends the `count` enumeration values at `data`.
  public static func append<Value: WireEnum>(
    _ data: UnsafeMutablePointer<Int32>?, _ count: Int, to values: inout [Value]
  ) {
    for number in UnsafeBufferPointer(start: data, count: count) {
      values.append(Value(rawValue: number))
    }
  }

  /// Appends the `count` texts at `data`, a list of `ProtobufCBinaryData`.
  @inlinable
  public static func append<CBytes: BitwiseCopyable>(
    _ data: UnsafeMutablePointer<CBytes>?, _ count: Int, to texts: inout [String],
    _ field: StaticString
  ) throws(WireError) {
    guard let data, count > 0 else { return }
    texts.reserveCapacity(texts.count + count)
    for index in 0..<count { texts.append(try text(data[index], field)) }
  }

  /// Appends the `count` byte strings at `data`, a list of `ProtobufCBinaryData`.
  @inlinable
  public static func append<CBytes: BitwiseCopyable>(
    _ data: UnsafeMutablePointer<CBytes>?, _ count: Int, to strings: inout [[UInt8]]
  ) {
    guard let data, count > 0 else { return }
    strings.reserveCapacity(strings.count + count)
    for index in 0..<count { strings.append(bytes(data[index])) }
  }

  /// Appends the `count` messages at `data`, a list of pointers to their C structs.
  @inlinable
  public static func append<Message: GeneratedMessage>(
    _ data: UnsafeRawPointer?, _ count: Int, to messages: inout [Message]
  ) throws(WireError) {
    guard let data, count > 0 else { return }
    let list = data.assumingMemoryBound(to: UnsafeRawPointer.self)
    messages.reserveCapacity(messages.count + count)
    for index in 0..<count { messages.append(try self.message(list[index])) }
  }

  /// Merges the `count` messages at `data` into one field: a message that is sent in parts.
  ///
  /// On the C side a single message is a list, because libprotobuf-c 1.4 reads out of bounds when
  /// it merges two messages with a oneof and loses unknown fields when it merges any.
  @inlinable
  public static func merge<Message: GeneratedMessage>(
    _ data: UnsafeRawPointer?, _ count: Int, into message: inout Message?
  ) throws(WireError) {
    guard let data, count > 0 else { return }
    let list = data.assumingMemoryBound(to: UnsafeRawPointer.self)
    var merged = message ?? Message()
    for index in 0..<count { try merged.merge(unpacked: list[index]) }
    message = merged
  }

  /// The message in the C struct at `data`; one with every field at its default when there is none.
  @inlinable
  public static func message<Message: GeneratedMessage>(
    _ data: UnsafeRawPointer?
  ) throws(WireError) -> Message {
    var message = Message()
    if let data { try message.merge(unpacked: data) }
    return message
  }

  /// Appends the fields of the C struct at `message` that its contract does not name.
  @inlinable
  public static func append(
    unknownFieldsOf message: UnsafeRawPointer, to unknownFields: inout UnknownFields
  ) throws(WireError) {
    if unknownFieldCount(message) > 0 {
      try appendUnknown(message, to: &unknownFields)
    }
  }

  /// The field `n_unknown_fields` behind the descriptor that every C struct starts with.
  @usableFromInline
  static func unknownFieldCount(_ message: UnsafeRawPointer) -> UInt32 {
    message.assumingMemoryBound(to: ProtobufCMessage.self).pointee.n_unknown_fields
  }

  @usableFromInline
  static func appendUnknown(
    _ message: UnsafeRawPointer, to unknownFields: inout UnknownFields
  ) throws(WireError) {
    let message = message.assumingMemoryBound(to: ProtobufCMessage.self).pointee
    for index in 0..<Int(message.n_unknown_fields) {
      let field = message.unknown_fields[index]
      guard let type = WireType(rawValue: UInt8(truncatingIfNeeded: field.wire_type.rawValue)),
        let tag = WireTag(field: Int(field.tag), type: type)
      else {
        throw WireError(
          .malformed,
          "\(String(cString: message.descriptor.pointee.name)) has a field numbered \(field.tag); fields are numbered from 1 to \(WireTag.maximumField)"
        )
      }
      unknownFields.append(
        tag, UnsafeRawBufferPointer(start: field.data, count: field.len))
    }
  }
}

import CProtobufC

/// Finds out how deep messages are nested in bytes before libprotobuf-c recurses into them.
enum MessageDepth {
  /// Checks the bytes of one message.
  ///
  /// - Throws: ``WireError`` when messages are nested deeper than `limit`, or the bytes are
  ///   malformed on the way there.
  static func check(
    _ bytes: UnsafeRawBufferPointer, as layout: WireLayout, limit: Int
  ) throws(WireError) {
    try check(bytes, layout.descriptor, depth: 0, limit: limit)
  }

  private static func check(
    _ bytes: UnsafeRawBufferPointer, _ descriptor: UnsafePointer<ProtobufCMessageDescriptor>,
    depth: Int, limit: Int
  ) throws(WireError) {
    guard depth <= limit else {
      throw WireError(
        .tooDeep,
        "\(String(cString: descriptor.pointee.name)) is nested deeper than \(limit) messages")
    }
    var reader = WireReader(bytes)
    while !reader.isAtEnd {
      let tag = try reader.tag()
      guard tag.type == .lengthDelimited else {
        try reader.skip(tag)
        continue
      }
      let value = try reader.bytes()
      if let field = protobuf_c_message_descriptor_get_field(descriptor, UInt32(tag.field)),
        field.pointee.type == PROTOBUF_C_TYPE_MESSAGE
      {
        try check(
          value, field.pointee.descriptor.assumingMemoryBound(to: ProtobufCMessageDescriptor.self),
          depth: depth + 1, limit: limit)
      }
    }
  }
}

import KithWire

extension Credit {
  /// Takes over the fields in `encoded`, as protobuf merges.
  mutating func merge(_ encoded: UnsafeRawBufferPointer) throws(WireError) {
    var reader = WireReader(encoded)
    while !reader.isAtEnd {
      let tag = try reader.tag()
      switch (tag.field, tag.type) {
      case (1, .varint): messages = Int(UInt32(truncatingIfNeeded: try reader.varint()))
      case (2, .varint): self.bytes = Int(UInt32(truncatingIfNeeded: try reader.varint()))
      default: try reader.skip(tag)
      }
    }
  }

  /// The frame that grants it for call `id`; `field` is that of `credit` in the sender's frames.
  func sealed(field: Int, id: UInt32, framing: MessageFraming) -> OutgoingFrame {
    var buffer = WireBuffer(headroom: 48)
    if bytes > 0 { buffer.prepend(field: 2, number: UInt64(bytes)) }
    if messages > 0 { buffer.prepend(field: 1, number: UInt64(messages)) }
    buffer.prepend(field: field, lengthBefore: 0)
    framing.seal(&buffer, id: id)
    return OutgoingFrame(id: id, sealed: buffer)
  }
}

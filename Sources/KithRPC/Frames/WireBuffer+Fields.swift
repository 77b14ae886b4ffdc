import KithWire

/// Fields in front of what a buffer holds: an envelope is written from its last field to its first.
extension WireBuffer {
  /// The tag of the message of a frame and its length: that of what the buffer holds, if none is
  /// given.
  mutating func prependMessageTag(count: Int? = nil) {
    prepend(varint: UInt64(count ?? self.count))
    prepend(UInt8(15 << 3 | 2))
  }

  /// The tag and length of a message field that began when the buffer held `end` bytes.
  mutating func prepend(field: Int, lengthBefore end: Int) {
    prepend(varint: UInt64(count - end))
    prepend(varint: UInt64(field << 3 | 2))
  }

  mutating func prepend(field: Int, bytes: [UInt8]) {
    prepend(bytes)
    prepend(varint: UInt64(bytes.count))
    prepend(varint: UInt64(field << 3 | 2))
  }

  mutating func prepend(field: Int, text: String) {
    var text = text
    let count = text.withUTF8 { utf8 in
      prepend(UnsafeRawBufferPointer(utf8))
      return utf8.count
    }
    prepend(varint: UInt64(count))
    prepend(varint: UInt64(field << 3 | 2))
  }

  mutating func prepend(field: Int, number: UInt64) {
    prepend(varint: number)
    prepend(varint: UInt64(field << 3))
  }

  mutating func prepend(field: Int, _ entry: Metadata.Entry) {
    let end = count
    switch entry.value {
    case .text(let text): prepend(field: 2, text: text)
    case .binary(let bytes): prepend(field: 3, bytes: bytes)
    }
    if !entry.key.isEmpty { prepend(field: 1, text: entry.key) }
    prepend(field: field, lengthBefore: end)
  }
}

extension ArraySlice<UInt8> {
  /// Reads the fields of an encoded frame one after the other.
  func readFields(
    _ read: (_ reader: inout WireReader, _ tag: WireTag) throws(WireError) -> Void
  ) throws(WireError) {
    try withUnsafeBufferPointer { (bytes) throws(WireError) in
      var reader = WireReader(UnsafeRawBufferPointer(bytes))
      while !reader.isAtEnd {
        let tag = try reader.tag()
        try read(&reader, tag)
      }
    }
  }

  /// The field that `reader`, which reads this slice, has just read, without a copy.
  func slice(_ field: UnsafeRawBufferPointer, readBy reader: borrowing WireReader)
    -> ArraySlice<UInt8>
  {
    let end = startIndex + reader.offset
    return self[end - field.count..<end]
  }
}

extension WireMessage {
  /// Decodes a message that lies within a frame.
  init(decoding bytes: ArraySlice<UInt8>) throws(WireError) {
    self = try bytes.withUnsafeBufferPointer { (bytes) throws(WireError) in
      try Self(decoding: UnsafeRawBufferPointer(bytes), limits: .standard)
    }
  }
}

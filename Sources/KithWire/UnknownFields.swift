/// The fields of a message that its contract does not name: encoded, in the order in which they
/// came.
public struct UnknownFields: Sendable, Hashable {
  /// The fields as they are written, each with its tag.
  public private(set) var bytes: [UInt8] = []

  /// No fields.
  @inlinable
  public init() {}

  /// Fields that are encoded already.
  ///
  /// - Throws: ``WireError`` when `bytes` are no fields.
  public init(encoded bytes: [UInt8]) throws(WireError) {
    try bytes.withWireReader { reader throws(WireError) in
      while !reader.isAtEnd { try reader.skip(try reader.tag()) }
    }
    self.bytes = bytes
  }

  /// Whether there are none.
  @inlinable
  public var isEmpty: Bool { bytes.isEmpty }

  /// The number in the last field with this number, when that is a varint: how an option of
  /// protobuf's descriptors that is a bool, an integer or an enumeration is read.
  public func varint(_ field: Int) -> UInt64? {
    last(field, .varint) { reader in try? reader.varint() }
  }

  /// The bytes in the last field with this number, when that has a length.
  public func bytes(_ field: Int) -> [UInt8]? {
    last(field, .lengthDelimited) { reader in (try? reader.bytes()).map { [UInt8]($0) } }
  }

  /// The text in the last field with this number, when that is one.
  public func text(_ field: Int) -> String? {
    last(field, .lengthDelimited) { reader in try? reader.text() }
  }

  private func last<Value>(
    _ field: Int, _ type: WireType, _ read: (inout WireReader) -> Value?
  ) -> Value? {
    bytes.withWireReader { reader in
      var value: Value?
      while !reader.isAtEnd, let tag = try? reader.tag() {
        var ahead = reader
        if tag.field == field, tag.type == type { value = read(&ahead) }
        guard (try? reader.skip(tag)) != nil else { break }
      }
      return value
    }
  }

  /// Appends a field.
  mutating func append(_ tag: WireTag, _ value: UnsafeRawBufferPointer) {
    var rest = tag.encoded
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
    bytes.append(contentsOf: value)
  }
}

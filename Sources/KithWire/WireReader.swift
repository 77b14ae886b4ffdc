/// Reads fields from bytes that nobody vouches for, one after another: for messages whose contract
/// is known only at run time, and for looking into an envelope without decoding it.
///
/// Every step is checked against the end of the bytes. What ``bytes()`` and ``skip(_:)`` return
/// points into them and is valid as long as they are.
///
///     while !reader.isAtEnd {
///       let tag = try reader.tag()
///       if tag.field == 15 { message = try reader.bytes() } else { try reader.skip(tag) }
///     }
public struct WireReader {
  /// How deep groups may be nested when they are skipped.
  static let maximumGroupDepth = 100

  @usableFromInline let buffer: UnsafeRawBufferPointer
  /// How many bytes have been read.
  public private(set) var offset = 0

  /// A reader at the first of `bytes`.
  public init(_ bytes: UnsafeRawBufferPointer) {
    buffer = bytes
  }

  /// Whether all has been read.
  public var isAtEnd: Bool { offset == buffer.count }

  /// How many bytes are left.
  public var remaining: Int { buffer.count - offset }

  /// The tag of the next field.
  public mutating func tag() throws(WireError) -> WireTag {
    let start = offset
    let number = try varint()
    guard number <= UInt64(UInt32.max), let type = WireType(rawValue: UInt8(number & 7)),
      let tag = WireTag(field: Int(number >> 3), type: type)
    else { throw malformed("no field has such a tag", at: start) }
    return tag
  }

  /// A number in groups of seven bits, at most ten of them.
  public mutating func varint() throws(WireError) -> UInt64 {
    let start = offset
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while offset < buffer.count, shift < 70 {
      let byte = buffer[offset]
      offset += 1
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    throw malformed("a number has no end", at: start)
  }

  /// A number of `sint32` or `sint64`: small ones are short, also when they are negative.
  public mutating func zigZag() throws(WireError) -> Int64 {
    let number = try varint()
    return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  /// Four bytes as a number, lowest first.
  public mutating func fixed32() throws(WireError) -> UInt32 {
    let bytes = try take(4)
    return UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
  }

  /// Eight bytes as a number, lowest first.
  public mutating func fixed64() throws(WireError) -> UInt64 {
    let bytes = try take(8)
    return UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
  }

  /// A length and as many bytes; the bytes are returned, and are valid as long as those that are
  /// read from.
  public mutating func bytes() throws(WireError) -> UnsafeRawBufferPointer {
    let start = offset
    let count = try varint()
    guard count <= UInt64(remaining) else { throw malformed("a field is cut short", at: start) }
    return try take(Int(count))
  }

  /// A length and as many bytes of UTF-8.
  public mutating func text() throws(WireError) -> String {
    let start = offset
    let utf8 = try bytes()
    guard let text = String(utf8: utf8.bindMemory(to: UInt8.self)) else {
      throw WireError(.invalidUTF8, "the text at byte \(start) is not valid UTF-8; a text must be")
    }
    return text
  }

  /// Goes past the value of a field whose tag has been read, and returns the bytes of the value.
  @discardableResult
  public mutating func skip(_ tag: WireTag) throws(WireError) -> UnsafeRawBufferPointer {
    let start = offset
    try skip(tag, depth: 0)
    return UnsafeRawBufferPointer(rebasing: buffer[start..<offset])
  }

  private mutating func skip(_ tag: WireTag, depth: Int) throws(WireError) {
    switch tag.type {
    case .varint: _ = try varint()
    case .fixed64: _ = try take(8)
    case .lengthDelimited: _ = try bytes()
    case .fixed32: _ = try take(4)
    case .endGroup: throw malformed("a group ends that did not start", at: offset)
    case .startGroup:
      guard depth < Self.maximumGroupDepth else {
        throw WireError(
          .tooDeep, "groups are nested deeper than \(Self.maximumGroupDepth) at byte \(offset)")
      }
      while true {
        let inner = try self.tag()
        if inner.type == .endGroup {
          guard inner.field == tag.field else {
            throw malformed("a group ends that is not the innermost one", at: offset)
          }
          return
        }
        try skip(inner, depth: depth + 1)
      }
    }
  }

  private mutating func take(_ count: Int) throws(WireError) -> UnsafeRawBufferPointer {
    guard count <= remaining else { throw malformed("a field is cut short", at: offset) }
    defer { offset += count }
    return UnsafeRawBufferPointer(rebasing: buffer[offset..<offset + count])
  }

  private func malformed(_ what: String, at offset: Int) -> WireError {
    WireError(.malformed, "\(what), at byte \(offset) of \(buffer.count)")
  }
}

extension [UInt8] {
  /// Reads fields from these bytes. Nothing that points into them may leave `body`.
  public func withWireReader<Result, Failure: Error>(
    _ body: (inout WireReader) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBufferPointer { bytes throws(Failure) in
      var reader = WireReader(UnsafeRawBufferPointer(bytes))
      return try body(&reader)
    }
  }
}

/// Writes fields one after another: for messages whose contract is known only at run time.
public struct WireWriter: Sendable {
  /// What has been written.
  public private(set) var bytes: [UInt8] = []

  /// A writer with nothing written.
  public init() {}

  /// Writes the tag of a field.
  public mutating func tag(_ tag: WireTag) {
    varint(tag.encoded)
  }

  /// Writes a number in groups of seven bits. Negative numbers of `int32`, `int64` and enumerations
  /// are widened to 64 bits first and take ten bytes.
  public mutating func varint(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Writes a number of `sint32` or `sint64`.
  public mutating func zigZag(_ number: Int64) {
    varint(UInt64(bitPattern: number << 1 ^ number >> 63))
  }

  /// Writes a number in four bytes, lowest first.
  public mutating func fixed32(_ number: UInt32) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Writes a number in eight bytes, lowest first.
  public mutating func fixed64(_ number: UInt64) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Writes a length and the bytes.
  public mutating func bytes(_ content: some Collection<UInt8>) {
    varint(UInt64(content.count))
    bytes.append(contentsOf: content)
  }

  /// Writes a length and the text in UTF-8.
  public mutating func text(_ text: String) {
    bytes(text.utf8)
  }

  /// Writes bytes that are encoded already.
  public mutating func raw(_ content: some Sequence<UInt8>) {
    bytes.append(contentsOf: content)
  }
}

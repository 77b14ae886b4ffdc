import FoundationEssentials

/// A personal value, which is sealed wherever it is written.
///
/// It is no value that SQL takes, so that it cannot be written unsealed by mistake; a record's helpers seal it. Its
/// description is `<sealed>`, so that it does not get into logs either.
public struct Sealed<Value: Sealable>: Sendable {
  /// The value, in the open.
  public var value: Value

  /// A personal value.
  public init(_ value: Value) { self.value = value }
}

extension Sealed: Equatable where Value: Equatable {}
extension Sealed: Hashable where Value: Hashable {}
extension Sealed: CustomStringConvertible {
  /// `<sealed>`
  public var description: String { "<sealed>" }
}
extension Sealed: CustomReflectable {
  /// Nothing of the value.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What can be sealed: a value as bytes, and back.
public protocol Sealable: Sendable {
  /// The value as bytes.
  var sealableBytes: [UInt8] { get }
  /// The value of bytes; nil when they are none.
  init?(sealableBytes: [UInt8])
}

extension String: Sealable {
  /// UTF-8.
  public var sealableBytes: [UInt8] { Array(utf8) }
  /// From UTF-8.
  public init?(sealableBytes: [UInt8]) { self.init(validating: sealableBytes, as: UTF8.self) }
}

extension [UInt8]: Sealable {
  /// The bytes.
  public var sealableBytes: [UInt8] { self }
  /// The bytes.
  public init?(sealableBytes: [UInt8]) { self = sealableBytes }
}

extension Int64: Sealable {
  /// Eight bytes, big-endian.
  public var sealableBytes: [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
  }
  /// From eight bytes, big-endian.
  public init?(sealableBytes: [UInt8]) {
    guard sealableBytes.count == 8 else { return nil }
    self = sealableBytes.reduce(0) { $0 << 8 | Int64($1) }
  }
}

extension Double: Sealable {
  /// The eight bytes of IEEE 754, big-endian.
  public var sealableBytes: [UInt8] { Int64(bitPattern: bitPattern).sealableBytes }
  /// From the eight bytes of IEEE 754, big-endian.
  public init?(sealableBytes: [UInt8]) {
    guard let bits = Int64(sealableBytes: sealableBytes) else { return nil }
    self.init(bitPattern: UInt64(bitPattern: bits))
  }
}

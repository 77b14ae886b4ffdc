import FoundationEssentials

/// A personal value, which is sealed wherever it is written.
///
/// It is no value that SQL takes, so that it cannot be written unsealed by mistake; a record's
/// helpers seal it. Its description is `<sealed>`, so that it does not get into logs either.
///
/// One that was read may be damaged: its bytes were changed on the disk, or its key is gone. A
/// single record is then answered DATA_LOSS; in a list it is read all the same, so that one damaged
/// value does not take the others with it:
///
///     let text = try reminder.text.value            // DATA_LOSS when it is damaged
///     let shown = reminder.text.intact ?? "(lost)"  // for a list
///
/// A record that is saved with a damaged value keeps its bytes as they are.
public struct Sealed<Value: Sealable>: Sendable {
  enum Content {
    case intact(Value)
    /// The bytes as they stand in the store, and the table and column that they are of.
    case damaged([UInt8], column: String)
  }

  let content: Content

  /// A personal value.
  public init(_ value: Value) { content = .intact(value) }

  init(damaged bytes: [UInt8], column: String) { content = .damaged(bytes, column: column) }

  /// The value, in the open.
  /// - Throws: ``StoreError`` `sealing` (DATA_LOSS) when it is damaged.
  public var value: Value {
    get throws {
      switch content {
      case .intact(let value): return value
      case .damaged(_, let column): throw StoreError(damaged: column)
      }
    }
  }

  /// The value, in the open; nil when it is damaged.
  public var intact: Value? {
    if case .intact(let value) = content { value } else { nil }
  }

  /// Whether it is damaged.
  public var isDamaged: Bool { intact == nil }
}

extension Sealed.Content: Sendable {}
extension Sealed.Content: Equatable where Value: Equatable {}
extension Sealed.Content: Hashable where Value: Hashable {}
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

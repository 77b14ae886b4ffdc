public import KithAccess

/// A type whose values stand in a column.
///
/// `Int`, `Int32`, `Int64`, `UInt32`, `Bool`, `Double`, `String`, `[UInt8]`, `UserID` and their
/// optionals conform. An enumeration conforms by its raw value:
///
///     enum State: String, StoreConvertible {
///       case active, paused, finished
///     }
///     let state: State = try row["state"]
///
/// Once such a value has been stored, its raw value is a part of the stored form and must not
/// change.
public protocol StoreConvertible {
  /// The value as a column keeps it.
  var storeValue: StoreValue { get }
  /// Reads what a column keeps.
  /// - Returns: nil if the column keeps something else.
  init?(storeValue: StoreValue)
}

extension StoreConvertible where Self: RawRepresentable, RawValue: StoreConvertible {
  /// The raw value.
  public var storeValue: StoreValue { rawValue.storeValue }
  /// Reads a raw value.
  public init?(storeValue: StoreValue) {
    guard let rawValue = RawValue(storeValue: storeValue) else { return nil }
    self.init(rawValue: rawValue)
  }
}

extension StoreConvertible where Self: FixedWidthInteger {
  /// An integer of 64 bits. Traps if the value does not fit one.
  public var storeValue: StoreValue { .integer(Int64(self)) }
  /// Reads an integer that fits.
  public init?(storeValue: StoreValue) {
    guard case .integer(let number) = storeValue else { return nil }
    self.init(exactly: number)
  }
}

extension Int: StoreConvertible {}
extension Int32: StoreConvertible {}
extension Int64: StoreConvertible {}
extension UInt32: StoreConvertible {}

extension Bool: StoreConvertible {
  /// A truth value.
  public var storeValue: StoreValue { .boolean(self) }
  /// Reads a truth value, or the 0 and 1 that SQLite keeps.
  public init?(storeValue: StoreValue) {
    switch storeValue {
    case .boolean(let value): self = value
    case .integer(let number) where number == 0 || number == 1: self = number == 1
    default: return nil
    }
  }
}

extension Double: StoreConvertible {
  /// A real number.
  public var storeValue: StoreValue { .real(self) }
  /// Reads a real number, or an integer.
  public init?(storeValue: StoreValue) {
    switch storeValue {
    case .real(let number): self = number
    case .integer(let number): self = Double(number)
    default: return nil
    }
  }
}

extension String: StoreConvertible {
  /// A text.
  public var storeValue: StoreValue { .text(self) }
  /// Reads a text.
  public init?(storeValue: StoreValue) {
    guard case .text(let text) = storeValue else { return nil }
    self = text
  }
}

extension Array: StoreConvertible where Element == UInt8 {
  /// Bytes.
  public var storeValue: StoreValue { .bytes(self) }
  /// Reads bytes.
  public init?(storeValue: StoreValue) {
    guard case .bytes(let bytes) = storeValue else { return nil }
    self = bytes
  }
}

extension Optional: StoreConvertible where Wrapped: StoreConvertible {
  /// The wrapped value's, or ``StoreValue/null``.
  public var storeValue: StoreValue { self?.storeValue ?? .null }
  /// Reads a value that may be absent.
  public init?(storeValue: StoreValue) {
    if storeValue == .null {
      self = .none
      return
    }
    guard let wrapped = Wrapped(storeValue: storeValue) else { return nil }
    self = .some(wrapped)
  }
}

extension StoreValue: StoreConvertible {
  /// The value itself.
  public var storeValue: StoreValue { self }
  /// Reads any value.
  public init(storeValue: StoreValue) { self = storeValue }
}

extension FamilyLink.Role: StoreConvertible {}

extension UserID: StoreConvertible {
  /// The id as text.
  public var storeValue: StoreValue { .text(text) }
  /// Reads a user id.
  public init?(storeValue: StoreValue) {
    guard case .text(let text) = storeValue else { return nil }
    self.init(text)
  }
}

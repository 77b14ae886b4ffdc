/// The value of one column of one row, in any database.
///
/// A plugin rarely names it: types that conform to ``StoreConvertible`` convert to it and back.
public enum StoreValue: Sendable, Hashable {
  /// No value.
  case null
  /// A truth value. SQLite keeps it as 0 or 1 and reads it back as an ``integer(_:)``.
  case boolean(Bool)
  /// A whole number of 64 bits.
  case integer(Int64)
  /// A floating-point number of 64 bits.
  case real(Double)
  /// A text.
  case text(String)
  /// Bytes.
  case bytes([UInt8])

  /// What kind of value it is, for errors; nothing of its content.
  var kind: String {
    switch self {
    case .null: "NULL"
    case .boolean: "a truth value"
    case .integer: "an integer"
    case .real: "a real number"
    case .text: "a text"
    case .bytes: "bytes"
    }
  }
}

import GRDB
import KithSealing

/// The key of a row as text, which what is sealed in the row is bound to.
enum RowKey {
  /// A number in decimal, a text as it is, bytes in hexadecimal digits.
  static func text(of key: StoreValue) -> String {
    switch key {
    case .boolean(let value): value ? "1" : "0"
    case .integer(let number): "\(number)"
    case .text(let text): text
    case .bytes(let bytes): Hexadecimal.text(of: bytes)
    case .real(let number): "\(number)"
    case .null: ""
    }
  }

  static func place(table: String, column: String, key: DatabaseValue) -> SealedPlace {
    place(table: table, column: column, key: StoreValue(key))
  }

  static func place(table: String, column: String, key: StoreValue) -> SealedPlace {
    SealedPlace(table: table, column: column, row: text(of: key))
  }
}

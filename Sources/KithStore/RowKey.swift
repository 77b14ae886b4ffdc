import FoundationEssentials
import GRDB
import KithSealing

/// The key of a row as text, which what is sealed in the row is bound to.
enum RowKey {
  /// A number in decimal, a text as it is, bytes in hexadecimal digits.
  static func text(of key: DatabaseValue) -> String {
    switch key.storage {
    case .int64(let number): "\(number)"
    case .string(let text): text
    case .blob(let data): Hexadecimal.text(of: data)
    case .double(let number): "\(number)"
    case .null: ""
    }
  }

  static func place(table: String, column: String, key: DatabaseValue) -> SealedPlace {
    SealedPlace(table: table, column: column, row: text(of: key))
  }
}

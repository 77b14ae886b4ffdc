import FoundationEssentials
import GRDB

extension StoreValue {
  /// A value as SQLite answers it.
  init(_ value: DatabaseValue) {
    switch value.storage {
    case .null: self = .null
    case .int64(let number): self = .integer(number)
    case .double(let number): self = .real(number)
    case .string(let text): self = .text(text)
    case .blob(let data): self = .bytes(Array(data))
    }
  }

  /// The value as SQLite takes it.
  var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .boolean(let value): value.databaseValue
    case .integer(let number): number.databaseValue
    case .real(let number): number.databaseValue
    case .text(let text): text.databaseValue
    case .bytes(let bytes): Data(bytes).databaseValue
    }
  }
}

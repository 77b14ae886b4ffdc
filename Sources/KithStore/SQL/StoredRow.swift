import GRDB

/// A row that a query answers.
///
///     for row in try transaction.rows("SELECT state, count(*) AS number FROM occurrence GROUP BY state") {
///       print(try row["state"] as String, try row["number"] as Int)
///     }
public struct StoredRow: Sendable, Hashable {
  /// The names of the columns in their order.
  public private(set) var columns: [String]
  private var values: [StoreValue]

  init(columns: [String], values: [StoreValue]) {
    self.columns = columns
    self.values = values
  }

  init(_ row: Row) {
    self.init(columns: Array(row.columnNames), values: row.databaseValues.map(StoreValue.init))
  }

  /// The value of a column; an optional one may be NULL.
  /// - Throws: ``StoreError`` if there is no such column, or it holds a value of another type.
  public subscript<Value: StoreConvertible>(_ column: String) -> Value {
    get throws {
      guard let value = value(of: column) else {
        throw StoreError(
          .unusable, "a row has no column \(column); it has \(columns.joined(separator: ", "))")
      }
      guard let converted = Value(storeValue: value) else {
        throw StoreError(unreadable: column, value, as: Value.self)
      }
      return converted
    }
  }

  /// Sets a column, in a row that a migration rewrites.
  public mutating func set(_ column: String, _ value: (some StoreConvertible)?) {
    let value = value?.storeValue ?? .null
    if let index = columns.firstIndex(of: column) {
      values[index] = value
    } else {
      columns.append(column)
      values.append(value)
    }
  }

  func value(of column: String) -> StoreValue? {
    columns.firstIndex(of: column).map { values[$0] }
  }
}

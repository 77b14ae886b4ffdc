import FoundationEssentials
import GRDB
public import KithAccess
import KithSealing

/// Reads the columns of a row, and opens what is sealed.
public struct RecordReader {
  let row: Row
  let table: String
  let key: DatabaseValue
  let sealing: StoreSealing
  /// Whether a damaged value is read as one that says so, and not refused.
  let marksDamage: Bool

  /// The value of a column; an optional one may be NULL.
  /// - Throws: ``StoreError`` if there is no such column, or it holds a value of another type.
  public subscript<Value: StoreConvertible>(_ column: String) -> Value {
    get throws {
      guard let found = try? row.decode(DatabaseValue.self, forColumn: column) else {
        throw StoreError(.unusable, "\(table) has no column \(column)")
      }
      let value = StoreValue(found)
      guard let converted = Value(storeValue: value) else {
        throw StoreError(unreadable: "\(table).\(column)", value, as: Value.self)
      }
      return converted
    }
  }

  /// The value of a sealed column.
  public subscript<Value>(_ column: String) -> Sealed<Value> {
    get throws {
      guard let value: Sealed<Value> = try self[column] else {
        throw StoreError(.sealing, "\(table).\(column) is empty, and the worker expects a value")
      }
      return value
    }
  }

  /// The value of a sealed column that may be NULL. One that does not open is counted.
  public subscript<Value>(_ column: String) -> Sealed<Value>? {
    get throws {
      let column = column + StoreSchema.sealedSuffix
      let content = try row.withUnsafeData(named: column) { $0.map { Array($0) } }
      guard let sealed = content else { return nil }
      let place = RowKey.place(table: table, column: column, key: key)
      guard let bytes = sealing.open(sealed, at: place) else {
        guard marksDamage else { throw StoreError(damaged: place.description) }
        return Sealed(damaged: sealed, column: place.description)
      }
      guard let value = Value(sealableBytes: bytes) else {
        throw StoreError(.sealing, "\(table).\(column) holds another type than the worker reads")
      }
      return Sealed(value)
    }
  }

  /// Whose row it is.
  public func user() throws -> UserID {
    try self["user_id"]
  }

  /// The error of a column whose value the worker cannot read, though its type is right.
  /// - Parameter expected: what the column should hold: `a recurrence rule`.
  public func unreadable(_ column: String, expected: String) -> StoreError {
    StoreError(.damaged, "\(table).\(column) cannot be read: expected \(expected)")
  }
}

import FoundationEssentials
public import GRDB
public import KithAccess
import KithSealing

/// A row of one of a worker's tables, as a value.
///
///     struct Reminder: UserRecord {
///       static let table = "reminder"
///       var id: String
///       var user: UserID
///       var text: Sealed<String>
///       var due: Int64
///
///       init(_ row: RecordReader) throws {
///         (id, user) = (try row["id"], try row.user())
///         text = try row["text"]
///         due = try row["due_ms"]
///       }
///       func write(to row: inout RecordWriter) throws {
///         try row.set("text", text)
///         row.set("due_ms", due)
///       }
///     }
///
/// The table has a primary key of one column, `id` unless ``idColumn`` says otherwise. A column that is sealed is named so
/// in the schema: `text_sealed BLOB`, and `text` here. It opens only in its own row.
///
/// Every record is a ``UserRecord``, of a person, or a ``StoredRecord``, of nobody.
public protocol RowRecord: Sendable {
  /// What tells rows apart. Given by the worker, since what is sealed is bound to it: a UUID, say.
  associatedtype ID: DatabaseValueConvertible & Hashable & Sendable

  /// The table.
  static var table: String { get }
  /// The column of the primary key.
  static var idColumn: String { get }
  /// The row's key.
  var id: ID { get }

  /// Reads a row.
  init(_ row: RecordReader) throws
  /// Writes all columns but the key, and the user's where there is one.
  func write(to row: inout RecordWriter) throws
}

extension RowRecord {
  /// `id`
  public static var idColumn: String { "id" }
}

/// A record of nobody: what the worker knows for itself.
public protocol StoredRecord: RowRecord {}

/// A record of one person, named in a column `user_id TEXT`. It can only be had and changed with a decision of ``Access``.
public protocol UserRecord: RowRecord {
  /// Whose it is.
  var user: UserID { get }
}

/// Reads the columns of a row, and opens what is sealed.
public struct RecordReader {
  let row: Row
  let table: String
  let key: DatabaseValue
  let sealing: StoreSealing
  /// Whether a damaged value is read as one that says so, and not refused.
  let marksDamage: Bool

  /// The value of a column; an optional one may be NULL.
  public subscript<Value: DatabaseValueConvertible>(_ column: String) -> Value {
    get throws { try row.decode(Value.self, forColumn: column) }
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
      guard let sealed = try row.decode(Data?.self, forColumn: column) else { return nil }
      let place = RowKey.place(table: table, column: column, key: key)
      guard let bytes = sealing.open(Array(sealed), at: place) else {
        guard marksDamage else { throw StoreError(damaged: place.description) }
        return Sealed(damaged: Array(sealed), column: place.description)
      }
      guard let value = Value(sealableBytes: bytes) else {
        throw StoreError(.sealing, "\(table).\(column) holds another type than the worker reads")
      }
      return Sealed(value)
    }
  }

  /// Whose row it is.
  public func user() throws -> UserID {
    let text: String = try self["user_id"]
    guard let user = UserID(text) else {
      throw StoreError(.damaged, "\(table).user_id holds what is no user id")
    }
    return user
  }
}

/// Takes the columns of a row, and seals what is personal.
public struct RecordWriter {
  let table: String
  let key: DatabaseValue
  let sealing: StoreSealing
  /// The columns that are written; nil for all.
  let wanted: Set<String>?
  private(set) var columns: [String] = []
  private(set) var values: [DatabaseValue] = []

  init(table: String, key: DatabaseValue, sealing: StoreSealing, wanted: Set<String>? = nil) {
    self.table = table
    self.key = key
    self.sealing = sealing
    self.wanted = wanted
  }

  private func skips(_ column: String) -> Bool { wanted.map { !$0.contains(column) } ?? false }

  /// Sets a column that anybody who has the file may read. Its name must not be that of a sealed one.
  public mutating func set(_ column: String, _ value: (some DatabaseValueConvertible)?) {
    if skips(column) { return }
    precondition(
      !column.hasSuffix(StoreSchema.sealedSuffix),
      "\(table).\(column) is sealed: set it with a Sealed value")
    add(column, value?.databaseValue ?? .null)
  }

  /// Sets a sealed column.
  public mutating func set<Value>(_ column: String, _ value: Sealed<Value>?) throws {
    if skips(column) { return }
    let column = column + StoreSchema.sealedSuffix
    let sealed: Data? =
      switch value?.content {
      case .intact(let value):
        Data(
          try sealing.keys.seal(
            value.sealableBytes, at: RowKey.place(table: table, column: column, key: key)))
      case .damaged(let bytes, _): Data(bytes)
      case nil: nil
      }
    add(column, sealed?.databaseValue ?? .null)
  }

  /// Sets a column by which rows with this very value are found, though it is sealed: to a fingerprint, which tells that two
  /// rows have the same value and nothing else. See ``Transaction/index(_:of:in:)``. Of a damaged value it stays as it is.
  public mutating func setIndex<Value>(_ column: String, _ value: Sealed<Value>?) {
    if skips(column) { return }
    switch value?.content {
    case .intact(let value):
      let fingerprint = sealing.fingerprint(value.sealableBytes, of: "\(table).\(column)")
      add(column, Data(fingerprint).databaseValue)
    case .damaged: break
    case nil: add(column, .null)
    }
  }

  mutating func add(_ column: String, _ value: DatabaseValue) {
    columns.append(column)
    values.append(value)
  }
}

public import KithAccess

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
/// The table has a primary key of one column, `id` unless ``idColumn`` says otherwise. A column
/// that is sealed is named so in the schema: `text_sealed BLOB`, and `text` here. It opens only in
/// its own row.
///
/// Every record is a ``UserRecord``, of a person, or a ``StoredRecord``, of nobody.
public protocol RowRecord: Sendable {
  /// What tells rows apart. Given by the worker, since what is sealed is bound to it: a UUID, say.
  associatedtype ID: StoreConvertible & Hashable & Sendable

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

/// A record of one person, named in a column `user_id TEXT`. It can only be had and changed with a
/// decision of ``Access``.
public protocol UserRecord: RowRecord {
  /// Whose it is.
  var user: UserID { get }
}

/// The statements by which records are read and written. Their values are placeholders alone.
enum RecordStatement {
  private static let value = StoreValue.null

  /// The record with a key, of one of so many people.
  static func find(_ type: any RowRecord.Type, users: Int?) -> SQLText {
    "SELECT * FROM \(name: type.table) WHERE \(name: type.idColumn) = \(value)\(and(users))"
  }

  /// Writes a record, its key first; in place of another with its key if that is of one of so many
  /// people.
  static func save(_ type: any RowRecord.Type, _ columns: [String], users: Int?) -> SQLText {
    let insertion: SQLText = """
      INSERT INTO \(name: type.table) (\(SQLText.names(columns))) \
      VALUES \(Array(repeating: value, count: columns.count)) \
      ON CONFLICT (\(name: type.idColumn)) DO
      """
    guard columns.count > 1 else { return insertion + " NOTHING" }
    let changes = SQLText.joined(columns.dropFirst().map { "\(name: $0) = excluded.\(name: $0)" })
    guard let users else { return insertion + " UPDATE SET " + changes }
    // In PostgreSQL a bare name may also mean the row that is to be inserted.
    return insertion + " UPDATE SET " + changes
      + " WHERE \(name: type.table).user_id IN \(Array(repeating: value, count: users))"
  }

  /// Writes some columns of one person's record.
  static func update(_ type: any RowRecord.Type, _ columns: [String]) -> SQLText {
    let changes = SQLText.joined(columns.map { "\(name: $0) = \(value)" })
    return """
      UPDATE \(name: type.table) SET \(changes) \
      WHERE \(name: type.idColumn) = \(value) AND user_id = \(value)
      """
  }

  /// Removes the record with a key, of one of so many people.
  static func remove(_ type: any RowRecord.Type, users: Int?) -> SQLText {
    "DELETE FROM \(name: type.table) WHERE \(name: type.idColumn) = \(value)\(and(users))"
  }

  private static func and(_ users: Int?) -> SQLText {
    users.map { " AND user_id IN \(Array(repeating: value, count: $0))" } ?? ""
  }
}

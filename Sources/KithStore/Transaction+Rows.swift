import GRDB
import KithAccess

extension Access.Grant {
  /// The people whom the grant names, as values; nil if it is about all.
  var owners: [StoreValue]? { users?.map { .text($0.text) } }

  /// The condition that a row is of those whom the grant is about.
  var condition: SQLText { owners.map { "user_id IN \($0)" } ?? "TRUE" }
}

// MARK: Statements of records, whose texts are made once

extension Transaction {
  func find<Record: RowRecord>(
    _ type: Record.Type, _ id: Record.ID, users: [StoreValue]?, _ marksDamage: Bool
  ) throws -> Record? {
    let key = StatementTexts.Key(form: .find, table: Record.table, users: users?.count)
    let text = connection.texts.text(key) {
      RecordStatement.find(Record.self, users: users?.count)
    }
    let rows = try connection.fetch(text, [id.storeValue] + (users ?? []))
    return try rows.next().map { try Record(reader(Record.self, $0, marksDamage)) }
  }

  func fetch<Record: RowRecord>(
    _ type: Record.Type, _ condition: SQLText, order: SQLText?, limit: Int?
  ) throws -> [Record] {
    var sql: SQLText = "SELECT * FROM \(name: Record.table) WHERE \(condition)"
    if let order { sql += " ORDER BY \(order)" }
    if let limit { sql += " LIMIT \(limit)" }
    let (text, values) = connection.dialect.render(sql)
    let rows = try connection.fetch(text, values)
    var records: [Record] = []
    while let row = try rows.next() {
      records.append(try Record(reader(Record.self, row, true)))
    }
    return records
  }

  func reader(_ type: any RowRecord.Type, _ row: Row, _ marksDamage: Bool) -> RecordReader {
    RecordReader(
      row: row, table: type.table, key: row[type.idColumn], sealing: sealing,
      marksDamage: marksDamage)
  }
}

extension WriteTransaction {
  /// Writes a record, unless there is one with its key that is of nobody among the owners.
  /// - Returns: whether it was written.
  @discardableResult
  func upsert<Record: RowRecord>(
    _ record: Record, user: UserID?, owners: [StoreValue]?
  ) throws -> Bool {
    let id = record.id.storeValue
    var row = RecordWriter(table: Record.table, key: id, sealing: sealing)
    row.add(Record.idColumn, id)
    if let user { row.add("user_id", .text(user.text)) }
    try record.write(to: &row)
    let (columns, values) = (row.columns, row.values)
    let key = StatementTexts.Key(
      form: .save, table: Record.table, columns: columns, users: owners?.count)
    let text = connection.texts.text(key) {
      RecordStatement.save(Record.self, columns, users: owners?.count)
    }
    let bound = columns.count > 1 ? values + (owners ?? []) : values
    let changes = try connection.execute(text, bound)
    return columns.count == 1 || changes > 0
  }

  /// Writes some columns of a record that is there.
  /// - Returns: whether it is there, and its user's.
  func change<Record: UserRecord>(_ record: Record, columns wanted: Set<String>) throws -> Bool {
    let id = record.id.storeValue
    var row = RecordWriter(table: Record.table, key: id, sealing: sealing, wanted: wanted)
    try record.write(to: &row)
    let columns = row.columns
    guard !columns.isEmpty else { return true }
    let key = StatementTexts.Key(form: .update, table: Record.table, columns: columns)
    let text = connection.texts.text(key) {
      RecordStatement.update(Record.self, columns)
    }
    return try connection.execute(text, row.values + [id, .text(record.user.text)]) > 0
  }

  func remove<Record: RowRecord>(
    _ type: Record.Type, _ id: Record.ID, users: [StoreValue]?
  ) throws -> Bool {
    let key = StatementTexts.Key(form: .remove, table: Record.table, users: users?.count)
    let text = connection.texts.text(key) {
      RecordStatement.remove(Record.self, users: users?.count)
    }
    return try connection.execute(text, [id.storeValue] + (users ?? [])) > 0
  }
}

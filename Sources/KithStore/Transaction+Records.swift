public import FoundationEssentials
public import GRDB
public import KithAccess

// MARK: Records of nobody

extension Transaction {
  /// The record with a key; nil when there is none.
  /// - Parameter markingDamage: reads damaged values as such, where they are to be written anew or can be done without.
  /// - Throws: ``StoreError`` `sealing` (DATA_LOSS) when a value of it is damaged.
  public func record<Record: StoredRecord>(
    _ type: Record.Type = Record.self, id: Record.ID, markingDamage: Bool = false
  ) throws -> Record? {
    let records: [Record] = try fetch(
      "\(sql: type.keyColumn) = \(id)", order: nil, limit: 1, marksDamage: markingDamage)
    return records.first
  }

  /// The records that a condition holds for. A damaged value in one is marked: see ``Sealed``.
  /// - Parameters:
  ///   - condition: what stands behind WHERE, its values as interpolations: `"due_ms <= \(now)"`.
  ///   - order: what stands behind ORDER BY: `"due_ms"`.
  ///   - limit: how many at most.
  public func records<Record: StoredRecord>(
    _ type: Record.Type = Record.self, where condition: SQL = "TRUE", orderedBy order: SQL? = nil,
    limit: Int? = nil
  ) throws -> [Record] {
    try fetch(condition, order: order, limit: limit)
  }
}

extension WriteTransaction {
  /// Writes a record: a new one, or in place of the one with its key.
  public func save(_ record: some StoredRecord) throws {
    try upsert(record, where: "TRUE")
  }

  /// Removes the record with a key; answers whether there was one.
  @discardableResult
  public func delete<Record: StoredRecord>(
    _ type: Record.Type, id: Record.ID
  ) throws -> Bool {
    try remove(type, id, where: "TRUE")
  }
}

// MARK: Records of people

extension Transaction {
  /// The record with a key; nil when there is none, or it is not of those whom the grant is about: whoever may not see a
  /// record does not learn whether there is one.
  /// - Parameter markingDamage: reads damaged values as such, where they are to be written anew or can be done without.
  /// - Throws: ``StoreError`` `sealing` (DATA_LOSS) when a value of it is damaged.
  public func record<Record: UserRecord>(
    _ type: Record.Type = Record.self, id: Record.ID, under grant: Access.Grant,
    markingDamage: Bool = false
  ) throws -> Record? {
    let records: [Record] = try fetch(
      "\(sql: type.keyColumn) = \(id) AND \(owner(grant))", order: nil, limit: 1,
      marksDamage: markingDamage)
    return records.first
  }

  /// The records of those whom the grant is about that a condition holds for. A damaged value in one is marked: see
  /// ``Sealed``.
  /// - Parameters:
  ///   - condition: what stands behind WHERE, its values as interpolations: `"due_ms <= \(now)"`.
  ///   - order: what stands behind ORDER BY: `"due_ms"`.
  ///   - limit: how many at most.
  public func records<Record: UserRecord>(
    _ type: Record.Type = Record.self, where condition: SQL = "TRUE", orderedBy order: SQL? = nil,
    limit: Int? = nil, under grant: Access.Grant
  ) throws -> [Record] {
    try fetch("(\(condition)) AND \(owner(grant))", order: order, limit: limit)
  }
}

extension WriteTransaction {
  /// Writes a record: a new one, or in place of the one with its key.
  /// - Throws: ``StoreError`` `denied` when the grant does not cover a change of this person's records, or the key is that of
  ///   another person's record.
  public func save(_ record: some UserRecord, under grant: Access.Grant) throws {
    guard grant.covers(.change, on: record.user), try upsert(record, where: owner(grant)) else {
      throw StoreError(denied: .change)
    }
  }

  /// Writes some columns of a record that is there, by the names that the record sets them by. Only these cost: no other is
  /// sealed anew, and no index over others is touched.
  /// - Throws: ``StoreError`` `denied` when the grant does not cover a change of this person's records, or the record is not
  ///   one of theirs.
  public func update(
    _ record: some UserRecord, columns: Set<String>, under grant: Access.Grant
  ) throws {
    guard grant.covers(.change, on: record.user) else { throw StoreError(denied: .change) }
    let type = type(of: record)
    let key = record.id.databaseValue
    var row = RecordWriter(table: type.table, key: key, sealing: sealing, wanted: columns)
    try record.write(to: &row)
    guard !row.columns.isEmpty else { return }
    let changes = row.columns.map { "\($0.quotedDatabaseIdentifier) = ?" }
    try database.cachedStatement(
      sql: """
        UPDATE \(type.table.quotedDatabaseIdentifier) SET \(changes.joined(separator: ", "))
        WHERE \(type.keyColumn) = ? AND user_id = ?
        """
    ).execute(
      arguments: StatementArguments(row.values + [key, record.user.text.databaseValue]))
    guard database.changesCount > 0 else { throw StoreError(denied: .change) }
  }

  /// Removes the record with a key; answers whether there was one that the grant is about.
  /// - Throws: ``StoreError`` `denied` when the grant is to read.
  @discardableResult
  public func delete<Record: UserRecord>(
    _ type: Record.Type, id: Record.ID, under grant: Access.Grant
  ) throws -> Bool {
    guard grant.action >= .change else { throw StoreError(denied: .change) }
    return try remove(type, id, where: owner(grant))
  }

  /// Removes all records of a table that are of one person; answers how many there were.
  /// - Throws: ``StoreError`` `denied` unless the grant is to own this person's.
  @discardableResult
  public func deleteAll<Record: UserRecord>(
    _ type: Record.Type, of user: UserID, under grant: Access.Grant
  ) throws -> Int {
    guard grant.covers(.own, on: user) else { throw StoreError(denied: .own) }
    try execute(
      "DELETE FROM \(sql: type.table.quotedDatabaseIdentifier) WHERE user_id = \(user.text)")
    return database.changesCount
  }
}

// MARK: Indexes

extension Transaction {
  /// What an index column that ``RecordWriter/setIndex(_:_:)`` wrote holds for a value, for conditions:
  /// `"phone_index = \(transaction.index(of: phone, in: Contact.self, "phone_index"))"`.
  public func index<Value: Sealable>(
    of value: Value, in record: any RowRecord.Type, _ column: String
  ) -> Data {
    Data(sealing.fingerprint(value.sealableBytes, of: "\(record.table).\(column)"))
  }
}

// MARK: SQL

extension RowRecord {
  fileprivate static var keyColumn: String { idColumn.quotedDatabaseIdentifier }
}

extension Transaction {
  /// The condition that a row is of those whom a grant is about.
  fileprivate func owner(_ grant: Access.Grant) -> SQL {
    guard let users = grant.users else { return "TRUE" }
    return "user_id IN \(users.map(\.text))"
  }

  fileprivate func fetch<Record: RowRecord>(
    _ condition: SQL, order: SQL?, limit: Int?, marksDamage: Bool = true
  ) throws -> [Record] {
    var sql: SQL = "SELECT * FROM \(sql: Record.table.quotedDatabaseIdentifier) WHERE \(condition)"
    if let order { sql += " ORDER BY \(order)" }
    if let limit { sql += " LIMIT \(limit)" }
    let (text, arguments) = try sql.build(database)
    let rows = try Row.fetchCursor(database.cachedStatement(sql: text), arguments: arguments)
    var records: [Record] = []
    while let row = try rows.next() {
      records.append(
        try Record(
          RecordReader(
            row: row, table: Record.table, key: row[Record.idColumn], sealing: sealing,
            marksDamage: marksDamage)))
    }
    return records
  }
}

extension WriteTransaction {
  /// Writes a record, unless there is one with its key that the condition does not hold for; answers whether it was written.
  @discardableResult
  fileprivate func upsert<Record: RowRecord>(_ record: Record, where condition: SQL) throws -> Bool
  {
    let key = record.id.databaseValue
    var row = RecordWriter(table: Record.table, key: key, sealing: sealing)
    row.add(Record.idColumn, key)
    if let user = (record as? any UserRecord)?.user { row.add("user_id", user.text.databaseValue) }
    try record.write(to: &row)
    let names = row.columns.map(\.quotedDatabaseIdentifier)
    let table = Record.table.quotedDatabaseIdentifier
    let changes = names.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    let insertion = """
      INSERT INTO \(table) (\(names.joined(separator: ", ")))
      VALUES (\(names.map { _ in "?" }.joined(separator: ", "))) ON CONFLICT (\(Record.keyColumn))
      """
    guard !changes.isEmpty else {
      try database.cachedStatement(sql: "\(insertion) DO NOTHING")
        .execute(arguments: StatementArguments(row.values))
      return true
    }
    let (text, arguments) = try condition.build(database)
    // Within an upsert a bare name means the row that is there.
    try database.cachedStatement(
      sql: "\(insertion) DO UPDATE SET \(changes) WHERE \(text)"
    ).execute(arguments: StatementArguments(row.values) + arguments)
    return database.changesCount > 0
  }

  fileprivate func remove<Record: RowRecord>(
    _ type: Record.Type, _ id: Record.ID, where condition: SQL
  ) throws -> Bool {
    try execute(
      """
      DELETE FROM \(sql: type.table.quotedDatabaseIdentifier) WHERE \(sql: type.keyColumn) = \(id)
      AND \(condition)
      """)
    return database.changesCount > 0
  }

  private func execute(_ sql: SQL) throws {
    let (text, arguments) = try sql.build(database)
    try database.cachedStatement(sql: text).execute(arguments: arguments)
  }
}

extension StoreError {
  fileprivate init(denied action: Access.Action) {
    self.init(.denied, Access.Denial(action: action).description)
  }
}

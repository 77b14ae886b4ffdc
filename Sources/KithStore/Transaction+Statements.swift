import GRDB

extension Transaction {
  /// The rows of a query, for what records do not answer: groups, joins, single columns.
  ///
  ///     let rows = try transaction.rows(
  ///       "SELECT state, count(*) AS number FROM occurrence WHERE user_id = \(user) GROUP BY state")
  ///
  /// Name every column that is computed with `AS`. Sealed columns come as they are stored.
  /// - Throws: ``StoreError`` if the database refuses it.
  public func rows(_ sql: SQLText) throws -> Rows {
    let (text, values) = connection.dialect.render(sql)
    let found = try connection.fetch(text, values)
    var rows: [StoredRow] = []
    while let row = try found.next() { rows.append(StoredRow(row)) }
    return Rows(rows)
  }
}

extension WriteTransaction {
  /// Runs a statement that changes rows, for what records do not do.
  ///
  ///     try transaction.execute("UPDATE note SET told_at_ms = \(now) WHERE told_at_ms IS NULL")
  ///
  /// - Returns: how many rows it changed.
  /// - Throws: ``StoreError`` if the database refuses it, or a row would break a rule of its table.
  @discardableResult
  public func execute(_ sql: SQLText) throws -> Int {
    let (text, values) = connection.dialect.render(sql)
    return try connection.execute(text, values)
  }
}

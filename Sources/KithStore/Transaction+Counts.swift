import GRDB
public import KithAccess

// MARK: Figures and pages

extension Transaction {
  /// The number of records that a condition holds for.
  public func count<Record: StoredRecord>(
    of type: Record.Type, where condition: SQLText = "TRUE"
  ) throws -> Int {
    try count(in: type.table, condition)
  }

  /// The number of records of those whom the grant is about that a condition holds for.
  public func count<Record: UserRecord>(
    of type: Record.Type, where condition: SQLText = "TRUE", under grant: Access.Grant
  ) throws -> Int {
    try count(in: type.table, condition && grant.condition)
  }

  /// The smallest value of a column; nil if no record has one.
  public func minimum<Record: StoredRecord, Value: StoreConvertible>(
    of column: String, in type: Record.Type, where condition: SQLText = "TRUE"
  ) throws -> Value? {
    try minimum(of: column, in: type.table, condition)
  }

  /// The smallest value of a column among the records of those whom the grant is about; nil if none
  /// has one.
  public func minimum<Record: UserRecord, Value: StoreConvertible>(
    of column: String, in type: Record.Type, where condition: SQLText = "TRUE",
    under grant: Access.Grant
  ) throws -> Value? {
    try minimum(of: column, in: type.table, condition && grant.condition)
  }

  /// A page of the records that a condition holds for.
  ///
  ///     let page = try transaction.page(of: Note.self, by: ["told_at_ms", "id"], after: place, limit: 50)
  ///
  /// - Parameters:
  ///   - columns: what the records are ordered by. Together they tell every two records apart, and
  ///     none of them is NULL.
  ///   - descending: whether the largest come first.
  ///   - place: the ``RecordPage/next`` of the page before; nil for the first page.
  ///   - limit: the number of records on the page.
  public func page<Record: StoredRecord>(
    of type: Record.Type, where condition: SQLText = "TRUE", by columns: [String],
    descending: Bool = false, after place: [StoreValue]? = nil, limit: Int
  ) throws -> RecordPage<Record> {
    try page(type, condition, columns, descending, place, limit)
  }

  /// A page of the records of those whom the grant is about that a condition holds for.
  ///
  ///     let page = try transaction.page(
  ///       of: Occurrence.self, by: ["due_ms", "id"], descending: true, after: place, limit: 50, under: grant)
  ///
  /// - Parameters:
  ///   - columns: what the records are ordered by. Together they tell every two records apart, and
  ///     none of them is NULL.
  ///   - descending: whether the largest come first.
  ///   - place: the ``RecordPage/next`` of the page before; nil for the first page.
  ///   - limit: the number of records on the page.
  public func page<Record: UserRecord>(
    of type: Record.Type, where condition: SQLText = "TRUE", by columns: [String],
    descending: Bool = false, after place: [StoreValue]? = nil, limit: Int,
    under grant: Access.Grant
  ) throws -> RecordPage<Record> {
    try page(type, condition && grant.condition, columns, descending, place, limit)
  }

  private func count(in table: String, _ condition: SQLText) throws -> Int {
    try rows("SELECT count(*) AS number FROM \(name: table) WHERE \(condition)")[0]["number"]
  }

  private func minimum<Value: StoreConvertible>(
    of column: String, in table: String, _ condition: SQLText
  ) throws -> Value? {
    try rows(
      "SELECT min(\(name: column)) AS least FROM \(name: table) WHERE \(condition)"
    )[0]["least"]
  }

  private func page<Record: RowRecord>(
    _ type: Record.Type, _ condition: SQLText, _ columns: [String], _ descending: Bool,
    _ place: [StoreValue]?, _ limit: Int
  ) throws -> RecordPage<Record> {
    var condition = condition
    if let place {
      let sign: SQLText = descending ? "<" : ">"
      condition = condition && "(\(SQLText.names(columns))) \(sign) \(place)"
    }
    let sql: SQLText = """
      SELECT * FROM \(name: Record.table) WHERE \(condition)
      ORDER BY \(SQLText.names(columns, descending ? " DESC" : "")) LIMIT \(limit + 1)
      """
    let (text, values) = connection.dialect.render(sql)
    let rows = try connection.fetch(text, values)
    var page = RecordPage<Record>(records: [], next: nil)
    var last: [StoreValue] = []
    while let row = try rows.next() {
      guard page.records.count < limit else {
        page.next = last
        break
      }
      page.records.append(try Record(reader(Record.self, row, true)))
      if page.records.count == limit { last = columns.map { StoreValue(row[$0]) } }
    }
    return page
  }
}

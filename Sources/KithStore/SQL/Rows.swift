/// The rows that a query answers, in their order.
///
///     let ids: [String] = try transaction.rows("SELECT id FROM note WHERE told_at_ms <= \(now)").values(of: "id")
public struct Rows: Sendable, Hashable, RandomAccessCollection {
  private let rows: [StoredRow]

  init(_ rows: [StoredRow]) { self.rows = rows }

  /// The index of the first row.
  public var startIndex: Int { rows.startIndex }
  /// The index behind the last row.
  public var endIndex: Int { rows.endIndex }
  /// The row at an index.
  public subscript(index: Int) -> StoredRow { rows[index] }

  /// The values of one column.
  /// - Throws: ``StoreError`` if there is no such column, or it holds a value of another type.
  public func values<Value: StoreConvertible>(of column: String) throws -> [Value] {
    try rows.map { try $0[column] }
  }
}

/// Where sealed bytes belong; they open nowhere else, so that nobody can move one person's data to
/// another's row.
public struct SealedPlace: Sendable, Hashable, CustomStringConvertible {
  /// The table.
  public var table: String
  /// The column.
  public var column: String
  /// The row's key, as text.
  public var row: String

  /// A place. Neither `table` nor `column` holds a NUL, so that no two places run together.
  public init(table: String, column: String, row: String) {
    self.table = table
    self.column = column
    self.row = row
  }

  /// Table and column; the row's key may be personal.
  public var description: String { "\(table).\(column)" }

  var bytes: [UInt8] { Array("\(table)\0\(column)\0\(row)".utf8) }
}

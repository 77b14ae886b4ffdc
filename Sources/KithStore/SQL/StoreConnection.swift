import GRDB

/// The connection of a transaction to its database. Everything is done through the functions of
/// ``Transaction`` and ``WriteTransaction``.
public struct StoreConnection {
  let database: Database
  let texts: StatementTexts
  var dialect: Dialect { texts.dialect }

  /// Runs a statement whose text is known already, and answers its rows.
  func fetch(_ text: String, _ values: [StoreValue]) throws -> RowCursor {
    try Row.fetchCursor(
      database.cachedStatement(sql: text),
      arguments: StatementArguments(values.map(\.databaseValue)))
  }

  /// Runs a statement whose text is known already.
  /// - Returns: how many rows it changed.
  @discardableResult
  func execute(_ text: String, _ values: [StoreValue]) throws -> Int {
    try database.cachedStatement(sql: text)
      .execute(arguments: StatementArguments(values.map(\.databaseValue)))
    return database.changesCount
  }
}

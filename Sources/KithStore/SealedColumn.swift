import FoundationEssentials
import GRDB
import KithSealing

/// A column of encrypted values, known by its name, with the key of its rows.
struct SealedColumn {
  let table: String
  let name: String
  /// The column of the primary key.
  let key: String

  /// All encrypted columns of a store, table by table.
  /// - Throws: ``StoreError`` when a table has one and no primary key of one column.
  static func all(in database: Database) throws -> [SealedColumn] {
    let tables = try String.fetchAll(
      database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    return try tables.flatMap { table in
      let sealed = try database.columns(in: table).map(\.name)
        .filter { $0.hasSuffix(StoreSchema.sealedSuffix) }
      guard !sealed.isEmpty else { return [SealedColumn]() }
      let key = try database.primaryKey(table).columns
      guard key.count == 1 else {
        throw StoreError(
          .unusable, "\(table) has sealed columns and no primary key of one column")
      }
      return sealed.map { SealedColumn(table: table, name: $0, key: key[0]) }
    }
  }

  /// Where the value of a row stands.
  func place(_ key: DatabaseValue) -> SealedPlace {
    RowKey.place(table: table, column: name, key: key)
  }

  /// The encrypted values of a store that no key opens.
  static func damagedValues(
    in database: Database, _ keys: SealingKeys
  ) throws -> [SealedPlace] {
    var damaged: [SealedPlace] = []
    for column in try all(in: database) {
      let rows = try Row.fetchCursor(
        database,
        sql: """
          SELECT \(column.key.quotedDatabaseIdentifier), \(column.name.quotedDatabaseIdentifier)
          FROM \(column.table.quotedDatabaseIdentifier)
          WHERE \(column.name.quotedDatabaseIdentifier) IS NOT NULL
          """)
      while let row = try rows.next() {
        let place = column.place(row[0])
        let sealed = Data.fromDatabaseValue(row[1]).map { Array($0) } ?? []
        if (try? keys.open(sealed, at: place)) == nil { damaged.append(place) }
      }
    }
    return damaged
  }
}

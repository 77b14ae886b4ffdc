import GRDB

extension Store {
  /// One step from a schema to the next. Never changed once it has shipped.
  ///
  ///     static let migrations = [
  ///       Store.Migration("notes 1", creating: [notes]),
  ///       Store.Migration("notes 2", [.add(.text("colour", default: "white"), to: "note")]),
  ///     ]
  ///
  /// Each runs once in each store, in a transaction of its own, in the order in which they are
  /// listed.
  public struct Migration: Sendable {
    /// The name of the migration, unique in the store and fixed forever: `notes 1`.
    public let name: String
    let migrate: @Sendable (Database) throws -> Void

    /// A migration of several changes.
    public init(_ name: String, _ changes: [Change]) {
      self.init(name) { database in
        for change in changes { try change.apply(database, .sqlite) }
      }
    }

    /// A migration that makes tables.
    public init(_ name: String, creating tables: [Table]) {
      self.init(name, tables.map { .create($0) })
    }

    /// A migration in the database's own terms.
    init(_ name: String, migrate: @escaping @Sendable (Database) throws -> Void) {
      self.name = name
      self.migrate = migrate
    }
  }

  /// A change of the schema, as part of a ``Migration``.
  public struct Change: Sendable {
    enum Kind: Sendable {
      case statements(@Sendable (Dialect) -> [String])
      case rewrite(Table, @Sendable (inout StoredRow) throws -> Void)
    }

    let kind: Kind

    /// Makes a table with its indexes.
    public static func create(_ table: Table) -> Change {
      Change(kind: .statements { $0.create(table) })
    }

    /// Adds a column, which has to be optional or have a default.
    public static func add(_ column: Column, to table: String) -> Change {
      Change(
        kind: .statements {
          ["ALTER TABLE \($0.quoted(table)) ADD COLUMN \($0.define(column))"]
        })
    }

    /// Adds an index to a table.
    public static func add(_ index: Index, to table: String) -> Change {
      Change(kind: .statements { [$0.create(index, on: table)] })
    }

    /// Removes a table with its rows.
    public static func remove(table: String) -> Change {
      Change(kind: .statements { ["DROP TABLE \($0.quoted(table))"] })
    }

    /// Runs a statement. Its values become constants of the text.
    public static func run(_ sql: SQLText) -> Change {
      Change(kind: .statements { [$0.constant(sql)] })
    }

    /// Gives the table of that name a new definition, and carries its rows over one by one.
    ///
    ///     .rewrite(reminders) { row in
    ///       row.set("state", try row["state"] == 1 ? "active" : "paused")
    ///     }
    ///
    /// Columns that both definitions have are carried over unless `row` sets them. Those that the
    /// new one lacks are dropped.
    /// - Parameter row: changes a row of the old table into one of the new.
    public static func rewrite(
      _ table: Table, row: @escaping @Sendable (inout StoredRow) throws -> Void
    ) -> Change {
      Change(kind: .rewrite(table, row))
    }

    func apply(_ database: Database, _ dialect: Dialect) throws {
      switch kind {
      case .statements(let statements):
        for text in statements(dialect) { try database.execute(sql: text) }
      case .rewrite(let table, let change):
        let draft = "\(table.name)_rewritten"
        try database.execute(sql: dialect.create(table, as: draft))
        try Self.copy(table, to: draft, change, database, dialect)
        try database.execute(sql: "DROP TABLE \(dialect.quoted(table.name))")
        try database.execute(
          sql: "ALTER TABLE \(dialect.quoted(draft)) RENAME TO \(dialect.quoted(table.name))")
        for index in table.indexes {
          try database.execute(sql: dialect.create(index, on: table.name))
        }
      }
    }

    private static func copy(
      _ table: Table, to draft: String, _ change: (inout StoredRow) throws -> Void,
      _ database: Database, _ dialect: Dialect
    ) throws {
      let names = table.columns.map(\.name)
      let insertion = try database.makeStatement(
        sql: """
          INSERT INTO \(dialect.quoted(draft)) (\(names.map(dialect.quoted).joined(separator: ", ")))
          VALUES (\(names.indices.map { dialect.placeholder($0 + 1) }.joined(separator: ", ")))
          """)
      let rows = try Row.fetchCursor(
        database, sql: "SELECT * FROM \(dialect.quoted(table.name))")
      while let found = try rows.next() {
        var row = StoredRow(found)
        try change(&row)
        try insertion.execute(
          arguments: StatementArguments(
            table.columns.map { column in
              (row.value(of: column.name) ?? column.defaultValue ?? .null).databaseValue
            }))
      }
    }
  }
}

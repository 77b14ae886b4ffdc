import GRDB

/// The tables that every store has, beside those of its worker. Their names begin with `kith_`.
enum StoreSchema {
  static let migrations = [
    store, AnswerTable.migration, EventLog.migration, EventCursor.migration,
    history,
  ]

  /// Migrations that earlier versions ran in every store, and that only some workers list now.
  private static let formerlyOfAll: Set<String> = ["kith family links 1"]

  /// Whether a later version of the worker has migrated a store.
  static func isSuperseded(_ migrator: DatabaseMigrator, _ database: Database) throws -> Bool {
    try !migrator.appliedIdentifiers(database).subtracting(migrator.migrations)
      .isSubset(of: formerlyOfAll)
  }

  /// What ends the name of a column whose content is sealed: tools find it by this.
  static let sealedSuffix = "_sealed"

  private static let store = Store.Migration("kith store 1", creating: [table])

  private static let table = {
    var table = Store.Table(
      "kith_store",
      [
        .integer("id"),
        // Names the event log. A restored store gets another one, because its numbers go another
        // way.
        .text("log"),
        // The store's own secret, of which fingerprints are made.
        .sealed("secret"),
      ])
    table.checks = ["id = 1"]
    return table
  }()

  private static let history = Store.Migration(
    "kith store 2",
    [
      // The number of transactions that the store has committed.
      .add(.integer("commits", default: 0), to: "kith_store"),
      // The logs of the stores that this one replaced, by a restore or a salvage, with spaces
      // between them.
      .add(.text("replaced", default: ""), to: "kith_store"),
    ])

  /// All steps in order, those of every store first.
  static func migrator(_ own: [Store.Migration]) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for step in migrations + own {
      migrator.registerMigration(step.name, migrate: step.migrate)
    }
    return migrator
  }
}

import GRDB

/// The tables that every store has, beside those of its worker. Their names begin with `kith_`.
enum StoreSchema {
  static let migrations = [
    store, StoredAnswers.migration, EventLog.migration, EventCursor.migration,
    FamilyLinkTable.migration,
  ]

  /// What ends the name of a column whose content is sealed: tools find it by this.
  static let sealedSuffix = "_sealed"

  private static let store = Store.Migration("kith store 1") { database in
    try database.execute(
      sql: """
        CREATE TABLE kith_store (
          id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
          -- Names the event log: another one after a backup was restored, whose numbers go another way.
          log TEXT NOT NULL,
          -- The store's own secret, of which fingerprints are made.
          secret_sealed BLOB NOT NULL
        ) STRICT;
        """)
  }

  /// All steps in order, those of every store first.
  static func migrator(_ own: [Store.Migration]) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for step in migrations + own {
      migrator.registerMigration(step.name, migrate: step.migrate)
    }
    return migrator
  }
}

import GRDB

/// The tables that every store has, beside those of its worker. Their names begin with `kith_`.
enum StoreSchema {
  static let migrations = [
    store, StoredAnswers.migration, EventLog.migration, EventCursor.migration,
    FamilyLinkTable.migration, history,
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

  private static let history = Store.Migration("kith store 2") { database in
    try database.execute(
      sql: """
        -- How many transactions the store has committed.
        ALTER TABLE kith_store ADD COLUMN commits INTEGER NOT NULL DEFAULT 0;
        -- The logs of the stores in whose place this one was put, by a restore or a salvage, with spaces between them.
        ALTER TABLE kith_store ADD COLUMN replaced TEXT NOT NULL DEFAULT '';
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

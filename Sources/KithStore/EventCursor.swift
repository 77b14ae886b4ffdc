import GRDB

/// How far a consumer has come in the log of a producer: a row of the consumer's own store, so that it moves in the same
/// transaction as what the consumer does about an event.
enum EventCursor {
  static let migration = Store.Migration("kith event cursors 1") { database in
    try database.execute(
      sql: """
        CREATE TABLE kith_event_cursor (
          -- What the consumer calls what it follows.
          name TEXT PRIMARY KEY NOT NULL,
          log TEXT NOT NULL,
          sequence INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """)
  }
}

extension Transaction {
  /// How far a consumer of this store has come; the begin when it has seen nothing.
  public func eventPosition(of consumer: String) throws -> EventPosition {
    let row = try Row.fetchOne(
      database, sql: "SELECT log, sequence FROM kith_event_cursor WHERE name = ?",
      arguments: [consumer])
    return row.map { EventPosition(log: $0[0], sequence: $0[1]) } ?? EventPosition()
  }
}

extension WriteTransaction {
  /// Notes how far a consumer has come, in the transaction of what it did about the events up to there.
  public func setEventPosition(_ position: EventPosition, of consumer: String) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO kith_event_cursor (name, log, sequence) VALUES (?, ?, ?)
        ON CONFLICT (name) DO UPDATE SET log = excluded.log, sequence = excluded.sequence
        """
    ).execute(arguments: [consumer, position.log, position.sequence])
  }
}

/// How far a consumer has come in the log of a producer: a row of the consumer's own store, so that
/// it moves in the same transaction as what the consumer does about an event.
enum EventCursor {
  static let migration = Store.Migration(
    "kith event cursors 1",
    creating: [
      Store.Table(
        "kith_event_cursor",
        [
          // What the consumer calls what it follows.
          .text("name"), .text("log"), .integer("sequence"),
        ], clustered: true)
    ])
}

extension Transaction {
  /// How far a consumer of this store has come; the begin when it has seen nothing.
  public func eventPosition(of consumer: String) throws -> EventPosition {
    let rows = try rows("SELECT log, sequence FROM kith_event_cursor WHERE name = \(consumer)")
    return try rows.first.map { try EventPosition(log: $0["log"], sequence: $0["sequence"]) }
      ?? EventPosition()
  }
}

extension WriteTransaction {
  /// Notes how far a consumer has come, in the transaction of what it did about the events up to
  /// there.
  public func setEventPosition(_ position: EventPosition, of consumer: String) throws {
    try execute(
      """
      INSERT INTO kith_event_cursor (name, log, sequence)
      VALUES (\(consumer), \(position.log), \(position.sequence))
      ON CONFLICT (name) DO UPDATE SET log = excluded.log, sequence = excluded.sequence
      """)
  }
}

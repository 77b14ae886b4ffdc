import FoundationEssentials
import GRDB
import KithSealing

/// Seals anew, with the newest key, what older keys have sealed.
///
/// It needs nothing but the file and the keys, since a sealed column is known by its name, and it
/// may run beside the worker once that seals with the newest key: transactions that have sealed
/// with an older one have ended when the first step here has its turn. Each step is a transaction
/// of a few rows, so that writers wait little and nothing is lost when this process is killed; what
/// was done stays done.
struct Resealing {
  /// How many rows a step seals at most.
  private static let step = 500

  let queue: DatabaseQueue
  let keys: SealingKeys

  /// What became of it.
  struct Outcome: Hashable {
    /// How many values were sealed anew.
    var resealed = 0
    /// How many no key opens: they are as damaged as they were before.
    var unreadable = 0
  }

  /// Goes through all tables from begin to end.
  func run() throws -> Outcome {
    let (columns, counts) = try queue.write { database in
      (try SealedColumn.all(in: database), try StoreStanding.isCounted(database))
    }
    var outcome = Outcome()
    for column in columns {
      var last: DatabaseValue?
      while true {
        let next = try queue.write { database in
          let next = try step(column, after: last, &outcome, database)
          // What is sealed anew is lost with the old key when it is cut off.
          if next != nil, counts { _ = try StoreStanding.count(database) }
          return next
        }
        guard let next else { break }
        last = next
      }
    }
    return outcome
  }

  /// Seals some rows anew; answers the key of the last one, nil when there are no more.
  private func step(
    _ column: SealedColumn, after last: DatabaseValue?, _ outcome: inout Outcome,
    _ database: Database
  ) throws -> DatabaseValue? {
    let (table, key, name) = (
      column.table.quotedDatabaseIdentifier, column.key.quotedDatabaseIdentifier,
      column.name.quotedDatabaseIdentifier
    )
    let header = Data(keys.header)
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT \(key), \(name) FROM \(table)
        WHERE \(name) IS NOT NULL AND substr(\(name), 1, \(header.count)) <> ?
        \(last == nil ? "" : "AND \(key) > ?") ORDER BY \(key) LIMIT \(Self.step)
        """, arguments: StatementArguments([header.databaseValue] + (last.map { [$0] } ?? [])))
    let update = try database.cachedStatement(
      sql: "UPDATE \(table) SET \(name) = ? WHERE \(key) = ?")
    for row in rows {
      let (id, sealed): (DatabaseValue, Data) = (row[0], row[1])
      let place = column.place(id)
      do {
        let anew = try keys.seal(try keys.open(Array(sealed), at: place), at: place)
        try update.execute(arguments: [Data(anew), id])
        outcome.resealed += 1
      } catch is SealingError {
        outcome.unreadable += 1
      }
    }
    return rows.last.map { $0[0] }
  }
}

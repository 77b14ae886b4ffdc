import GRDB
import Glibc
import KithSealing

/// What was saved of a damaged file into a new one.
///
/// The damaged file is kept beside with its write-ahead log, unchanged. Each table of the worker's
/// schema is read from both ends up to what cannot be read, and between the damaged places as far
/// as there are numbered rows. Rows that the schema does not allow (a NULL in place of a value, a
/// second row with a key) are left out, and so are those that refer to rows that are gone. How many
/// rows there were cannot be told, only how many were saved.
public struct Salvage: Sendable, Hashable, CustomStringConvertible {
  /// A table and what was saved of it.
  public struct Table: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// How many rows were saved.
    public var rows: Int
    /// Whether all of it could be read.
    public var isWhole: Bool
  }

  /// What was wrong with the file.
  public let finding: String
  /// Where the damaged file is now.
  public let backup: String
  /// The tables, in the order of their names.
  public let tables: [Table]

  /// `...: the damaged file is kept as ...; saved: person 12 rows, place 3 rows (parts could not be read)`
  public var description: String {
    let saved = tables.map {
      "\($0.name) \($0.rows) \($0.rows == 1 ? "row" : "rows")"
        + ($0.isWhole ? "" : " (parts could not be read)")
    }
    return
      "\(finding): the damaged file is kept as \(backup); saved: \(saved.joined(separator: ", "))"
  }

  // MARK: Saving

  /// Keeps the damaged file beside and puts a new one with what could be saved in its place. The
  /// damaged one stays in place until the new one is whole and durable.
  /// - Parameters:
  ///   - known: the store that the host expects, in whose place the new one comes.
  ///   - error: what was found.
  /// - Throws: ``StoreError`` when nothing at all can be read, or the new file cannot be written;
  ///   the damaged one then stands where it stood.
  static func save(
    _ path: String, _ migrator: DatabaseMigrator, _ keys: SealingKeys, _ known: StoreStanding?,
    because error: StoreError
  ) throws(StoreError) -> Salvage {
    let draft = StoreReplacement.draft(of: path)
    let backup = RegularFile.freePath(numbering: "\(path).damaged")
    do {
      try copyDamaged(path, to: backup)
      DurableCopy.removeDatabase(draft)
      let marks = try StoreMark.read(of: path) ?? []
      let earlier = marks.map(\.log) + [known?.log].compactMap(\.self)
      let (tables, found, sealing) = try copyRows(of: backup, to: draft, migrator, keys, earlier)
      unlink("\(backup)-shm")
      try StoreReplacement.decide(path, found, sealing)
      return Salvage(finding: error.message, backup: backup, tables: tables)
    } catch {
      // A start that fails comes again: one backup of the same damage is enough. What was decided
      // is left to the next start, and then the damaged file is in the backup alone.
      if !StoreReplacement.isDecided(path) {
        DurableCopy.removeDatabase(backup)
        DurableCopy.removeDatabase(draft)
      }
      if let error = error as? StoreError { throw error }
      if let error = error as? SealingError { throw StoreError(error) }
      let code = (error as? DatabaseError).flatMap(StoreError.code) ?? .unusable
      throw StoreError(
        code,
        "\(StoreError(code, error, path).message); nothing of it could be saved: restore a backup "
          + "with `kith restore`")
    }
  }

  /// Copies the damaged file with its write-ahead log. A file that is empty or missing gets a page
  /// of zeros where there is a log, since SQLite reads none beside an empty file: what was never
  /// carried over stands in the log alone.
  private static func copyDamaged(_ path: String, to backup: String) throws(StoreError) {
    let hasLog = RegularFile.size("\(path)-wal") ?? 0 > 0
    if RegularFile.size(path) ?? 0 > 0 {
      try DurableCopy.copy(path, to: backup)
    } else {
      try DurableCopy.write([UInt8](repeating: 0, count: hasLog ? 4096 : 0), to: backup)
    }
    if hasLog { try DurableCopy.copy("\(path)-wal", to: "\(backup)-wal") }
    try DurableCopy.syncFolder(of: backup)
  }

  private static func copyRows(
    of damaged: String, to draft: String, _ migrator: DatabaseMigrator, _ keys: SealingKeys,
    _ earlier: [String]
  ) throws -> ([Table], StoreHistory.Found, StoreSealing) {
    var reading = Configuration()
    reading.readonly = true
    let source = try DatabaseQueue(path: damaged, configuration: reading)
    var writing = Configuration()
    writing.foreignKeysEnabled = false
    // Made here and not by SQLite, whose files are as open as the umask lets them be; a worker may
    // not change a mode.
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      throw StoreError(
        errno == ENOSPC ? .full : .inputOutput,
        "\(draft) cannot be made: \(String(cString: strerror(errno)))")
    }
    close(file)
    let target = try DatabaseQueue(path: draft, configuration: writing)
    // To where the damaged file stood, so that later steps find its rows.
    let applied = try source.read { database in
      try? String.fetchSet(database, sql: "SELECT identifier FROM grdb_migrations")
    }
    let reached = migrator.migrations.last { applied?.contains($0) ?? true }
    if let reached { try migrator.migrate(target, upTo: reached) }
    let tables = try source.unsafeRead { source in
      try target.write { target in
        let names = try String.fetchAll(
          target,
          sql: """
            SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
            AND name <> 'grdb_migrations' ORDER BY name
            """)
        let tables = try names.map { name in
          var copy = TableCopy(table: name, source: source, target: target)
          return try copy.run()
        }
        try removeOrphans(target)
        return tables
      }
    }
    try migrator.migrate(target)
    let (found, sealing) = try target.write { database in
      let sealing = try StoreSealing(keys: keys, in: database)
      return (try StoreHistory.beginAnew(database, besides: earlier), sealing)
    }
    try source.close()
    try target.close()
    return (tables, found, sealing)
  }

  /// Removes the rows that refer to rows which are gone.
  private static func removeOrphans(_ database: Database) throws {
    while true {
      let orphans = try Row.fetchAll(database, sql: "PRAGMA foreign_key_check")
      let numbered = orphans.filter { $0["rowid"] != nil }
      if numbered.isEmpty { return }
      for row in numbered {
        let (table, rowid): (String, Int64) = (row["table"], row["rowid"])
        try database.execute(
          sql: "DELETE FROM \(table.quotedDatabaseIdentifier) WHERE rowid = ?", arguments: [rowid])
      }
    }
  }
}

/// Copies what can be read of one table.
private struct TableCopy {
  let table: String
  let source: Database
  let target: Database
  private var columns: [String] = []
  private var saved = 0
  private var isWhole = true
  /// How often a row between damaged places is still looked for.
  private var probes = 2_000

  init(table: String, source: Database, target: Database) {
    self.table = table
    self.source = source
    self.target = target
  }

  mutating func run() throws -> Salvage.Table {
    guard let known = try? source.columns(in: table).map(\.name) else {
      return Salvage.Table(name: table, rows: 0, isWhole: false)
    }
    let wanted = try target.columns(in: table).map(\.name)
    columns = wanted.filter(known.contains)
    let isWithoutRowID = try Bool.fetchOne(
      target, sql: "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?",
      arguments: [table])
    if isWithoutRowID == false {
      try sweep(above: .min, below: .max)
    } else {
      let key = try target.primaryKey(table).columns.map(\.quotedDatabaseIdentifier)
      try copy("ORDER BY \(key.joined(separator: ", "))", [])
      if !isWhole {
        try copy("ORDER BY \(key.map { "\($0) DESC" }.joined(separator: ", "))", [])
      }
    }
    return Salvage.Table(name: table, rows: saved, isWhole: isWhole)
  }

  /// Copies the rows between two numbers, from both ends, then what lies between the places that
  /// cannot be read.
  private mutating func sweep(above low: Int64, below high: Int64) throws {
    let between = "WHERE rowid > ? AND rowid < ? ORDER BY rowid"
    let (forward, isAll) = try copy(between, [low, high])
    if isAll { return }
    let first = forward ?? low
    let (backward, _) = try copy("\(between) DESC", [first, high])
    let last = backward ?? high
    let middle = first / 2 + last / 2
    guard probes > 0, middle > first, middle < last else { return }
    probes -= 1
    try sweep(above: first, below: middle + 1)
    try sweep(above: middle, below: last)
  }

  /// Copies rows until the end, or until one cannot be read; answers the last one's number, and
  /// whether it was the end.
  @discardableResult
  private mutating func copy(
    _ condition: String, _ bounds: [Int64]
  ) throws -> (last: Int64?, isAll: Bool) {
    let hasRowID = !bounds.isEmpty
    let names = columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
    let name = table.quotedDatabaseIdentifier
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    let insertion = try target.cachedStatement(
      sql: "INSERT OR IGNORE INTO \(name) (\(names)) VALUES (\(marks))")
    var last: Int64?
    do {
      let rows = try Row.fetchCursor(
        source, sql: "SELECT \(hasRowID ? "rowid, " : "")\(names) FROM \(name) \(condition)",
        arguments: StatementArguments(bounds))
      while true {
        let row: Row?
        do { row = try rows.next() } catch { throw Unreadable() }
        guard let row else { return (last, true) }
        if hasRowID { last = row[0] }
        let values = row.databaseValues.dropFirst(hasRowID ? 1 : 0)
        try insertion.execute(arguments: StatementArguments(values))
        saved += target.changesCount
      }
    } catch is Unreadable {
    } catch let error as DatabaseError where StoreError.code(error) == .damaged {
    }
    isWhole = false
    return (last, false)
  }

  private struct Unreadable: Error {}
}

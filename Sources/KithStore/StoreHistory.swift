import Crypto
import GRDB
import Glibc
import KithSealing

/// Tells whether a store is the one that was last used, with all that was written to it.
///
/// Three accounts are compared: the store's own count of transactions, the mark beside it
/// (``StoreMark``), and what the host has kept (``StoreStanding``). The two others may be behind
/// the store, since they are written after a transaction is durable; they are never ahead of it. No
/// crash or loss of power is therefore taken for damage.
struct StoreHistory {
  /// What a database file holds.
  struct Found: Hashable {
    /// The store's identity.
    var log: String
    /// How many transactions it has counted.
    var commits: Int64
    /// The stores in whose place it was put, by a restore or a salvage.
    var replaced: Set<String>

    /// What an open database holds; nil before its first row was written.
    init?(_ database: Database) throws {
      guard try database.tableExists(StoreSealing.table),
        let row = try Row.fetchOne(database, sql: "SELECT * FROM kith_store WHERE id = 1")
      else { return nil }
      log = row["log"]
      // A store of an earlier version has not counted yet.
      commits = row["commits"] ?? 0
      let names: String? = row["replaced"]
      replaced = Set((names ?? "").split(separator: " ").map(String.init))
    }

    init(log: String, commits: Int64, replaced: Set<String> = []) {
      self.log = log
      self.commits = commits
      self.replaced = replaced
    }
  }

  /// What the file beside the store says; nil when there is none, empty when nothing in it can be
  /// read.
  var marks: [StoreMark]?
  /// What the host has handed over; nil when it knows of no store.
  var known: StoreStanding?
  /// Up to which transaction the file is complete without its write-ahead log, as its header says
  /// (`PRAGMA user_version`, of 32 bits); nil when it has no header.
  var completeUpTo: Int32?

  /// The digest that was written when the store was settled, and what the file holds now; nil when
  /// no digest lies beside it, and while a write-ahead log holds more than the file.
  var settled: (digest: StoreDigest, content: SHA256Digest)?

  /// Whether a store must be there.
  private var isExpected: Bool { marks != nil || known != nil }

  /// The most transactions that any account tells of.
  private var mostCommits: Int64 {
    max(marks?.map(\.commits).max() ?? 0, known?.commits ?? 0)
  }

  /// Why a store is not what was last used; nil when it is.
  func finding(_ found: Found?) -> String? {
    guard let found else {
      return isExpected
        ? "it holds nothing, and \(Self.transactions(mostCommits)) had been written" : nil
    }
    return markFinding(found) ?? knownFinding(found)
  }

  private func markFinding(_ found: Found) -> String? {
    guard let marks else {
      return found.commits > 0
        ? "it has \(Self.transactions(found.commits)), and the \(StoreMark.suffix) file that belongs beside it is missing"
        : nil
    }
    if marks.isEmpty { return "the \(StoreMark.suffix) file beside it is damaged" }
    guard let mark = marks.filter({ $0.log == found.log }).max(by: { $0.commits < $1.commits })
    else {
      return "it is the store \(found.log), and \(marks[0].log) was used here last"
    }
    return Self.shortfall(found, of: mark.commits)
  }

  private func knownFinding(_ found: Found) -> String? {
    guard let known else { return nil }
    if known.log == found.log { return Self.shortfall(found, of: known.commits) }
    return found.replaced.contains(known.log)
      ? nil
      : "it is the store \(found.log), and the host's records name \(known.log) with \(Self.transactions(known.commits))"
  }

  private static func shortfall(_ found: Found, of commits: Int64) -> String? {
    found.commits < commits
      ? "it ends with transaction \(found.commits), and \(transactions(commits)) had been written: it was cut short, or replaced by an older copy"
      : nil
  }

  private static func transactions(_ count: Int64) -> String {
    "\(count) \(count == 1 ? "transaction" : "transactions")"
  }

  /// Gives a store that comes in place of others another identity: its numbers go another way from
  /// here on than what consumers, the mark and the host have seen.
  /// - Parameter besides: stores in whose place it comes too, beside its own former self.
  static func beginAnew(_ database: Database, besides: [String]) throws -> Found {
    guard let before = try Found(database) else {
      throw StoreError(.damaged, "the store has no row of its own")
    }
    let replaced = before.replaced.union(besides).union([before.log])
    let found = Found(log: EventLog.newID(), commits: before.commits, replaced: replaced)
    try database.execute(
      sql: "UPDATE kith_store SET log = ?, replaced = ?; PRAGMA user_version = 0",
      arguments: [found.log, replaced.sorted().joined(separator: " ")])
    return found
  }

  // MARK: Files

  /// Looks at the files of a store before SQLite does, which takes a write-ahead log beside an
  /// empty file for nothing and removes it.
  /// - Throws: ``StoreError`` `damaged`, and `unusable` when one is not a regular file.
  func checkFiles(_ path: String) throws(StoreError) {
    try RegularFile.checkDatabase(path)
    let hasLog = RegularFile.size("\(path)-wal") ?? 0 > 0
    if RegularFile.size(path) ?? 0 == 0 {
      let state = access(path, F_OK) == 0 ? "empty" : "missing"
      if isExpected {
        throw StoreError(
          .damaged,
          "\(path) is \(state), and \(Self.transactions(mostCommits)) had been written to it")
      }
      if hasLog {
        throw StoreError(.damaged, "\(path) is \(state), and a write-ahead log lies beside it")
      }
    }
    guard hasLog, let first = WriteAheadLog.finding("\(path)-wal") else { return }
    // A writer may have changed the file under the look at it; what is damaged is so the second
    // time too.
    guard WriteAheadLog.finding("\(path)-wal") == first else { return }
    throw StoreError(.damaged, "\(path)-wal is damaged: \(first)")
  }

  /// Compares an open database with the accounts.
  /// - Returns: the encrypted values that do not open, where they tell why a settled file has
  ///   changed: they are marked where they are read, and the rest of the store can be used.
  /// - Throws: ``StoreError`` `damaged`.
  func check(
    _ found: Found?, _ path: String, _ sealing: StoreSealing?, _ database: Database
  ) throws -> [SealedPlace] {
    if let finding = finding(found) {
      throw StoreError(.damaged, "\(path) is not whole: \(finding)")
    }
    var damaged: [SealedPlace] = []
    if let settled, let found, let sealing, settled.digest.log == found.log,
      settled.digest.commits == found.commits, !settled.digest.matches(settled.content, sealing)
    {
      damaged = try SealedColumn.damagedValues(in: database, sealing.keys)
      guard !damaged.isEmpty else {
        throw StoreError(
          .damaged,
          "\(path) is not whole: its content has changed since the worker that wrote it ended")
      }
    }
    guard let found, let marks, let completeUpTo else { return damaged }
    let checkpointed = marks.filter { $0.log == found.log }.map(\.checkpointed).max() ?? 0
    guard checkpointed > 0, completeUpTo &- Int32(truncatingIfNeeded: checkpointed) < 0 else {
      return damaged
    }
    throw StoreError(
      .damaged,
      "\(path) is not whole: without its write-ahead log it ends before transaction \(checkpointed), up to which it "
        + "had been completed: it was replaced by an older copy")
  }

  /// The accounts of a store, and what its file says; to be read before the store is opened in this
  /// process, since the end of this look at the file would take away the locks that SQLite has on
  /// it.
  /// - Throws: ``StoreError`` when they cannot be read.
  static func read(_ path: String, known: StoreStanding?) throws(StoreError) -> StoreHistory {
    // The marks first, so that they are not ahead of what is found afterwards.
    var history = StoreHistory(marks: try StoreMark.read(of: path), known: known)
    history.completeUpTo = RegularFile.bytes(of: path, at: 60, count: 4).map { bytes in
      Int32(truncatingIfNeeded: bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    }
    if RegularFile.size("\(path)-wal") ?? 0 == 0, let digest = StoreDigest.read(of: path),
      let content = StoreDigest.content(ofFileAt: path)
    {
      history.settled = (digest, content)
    }
    return history
  }
}

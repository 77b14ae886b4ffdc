import GRDB
import Glibc
import KithRPC
public import KithSealing

/// A worker's database: one SQLite file of its own, which nobody shares.
///
/// What a write has returned from survives a crash of the process and a loss of power: write-ahead
/// log, with `synchronous = FULL`. With `NORMAL` the log would reach the disk only now and then,
/// and a loss of power would take the last writes, which callers were told are done. The wait for
/// the disk is shared by all writes that come at the same time (see ``write(_:)``). Readers never
/// wait for writers. Safe to use from any task.
public final class Store: Sendable {
  /// What is done about a file that is damaged.
  public enum WhenDamaged: String, Sendable, Hashable, CaseIterable {
    /// Nothing: the store does not open, and the file stays as it is, until a person has decided.
    /// The default, since what could be saved may lack what somebody relies on, and looks whole.
    case refuse
    /// The damaged file is kept beside, and what could be saved of it goes on in a new one: see
    /// ``Salvage``.
    case salvage
  }

  /// The name of the file in a worker's state folder.
  public static let fileName = "store.sqlite"

  /// Where the file is; nil in memory.
  public let path: String?
  /// What was saved of a damaged file when this one was opened; nil when it was whole.
  public let salvage: Salvage?
  /// What the store tells of its changes.
  public let events: EventLog
  /// The sealed values that could not be opened since the store was.
  public var damagedValues: DamagedValues { sealing.damage }

  private let database: any DatabaseWriter
  private let sealing: StoreSealing
  private let texts = StatementTexts(.sqlite)
  private let commits: GroupCommit
  private let witness: StoreWitness?
  private let lock: FolderLock?

  /// Opens the file, or makes it, checks that it is whole and has all that was written to it, and
  /// brings its schema up to date.
  /// - Parameters:
  ///   - keys: what seals the personal part of it.
  ///   - migrations: the worker's steps, the oldest first. The tables of the SDK come by
  ///     themselves.
  ///   - known: how far the store had come, as the host knows; nil when it knows of none.
  ///   - events: how long events are kept.
  /// - Throws: ``StoreError`` when it cannot be opened, is damaged, missing or older than it was,
  ///   has been written by a later version, or was sealed with other keys.
  public init(
    path: String, keys: SealingKeys, migrations: [Migration] = [],
    whenDamaged: WhenDamaged = .refuse, known: StoreStanding? = nil,
    events retention: EventRetention = EventRetention()
  ) throws(StoreError) {
    if StoreReplacement.isPending(path) {
      let lock = try FolderLock(Self.folder(of: path), .exclusive)
      try StoreReplacement.finish(path)
      withExtendedLifetime(lock) {}
    }
    let lock = try FolderLock(Self.folder(of: path), .shared)
    let migrator = StoreSchema.migrator(migrations)
    var salvage: Salvage?
    var opened: Opened
    do throws(StoreError) {
      opened = try Self.open(path, keys, migrator, known)
    } catch {
      guard error.code == .damaged else { throw error }
      guard whenDamaged == .salvage else {
        throw StoreError(
          .damaged,
          "\(error.message); end the product with `kith down`, then restore a backup with `kith restore`, or begin anew "
            + "with `kith erase`; or have what can be saved of it go on with `store: { when_damaged: salvage }` in the manifest"
        )
      }
      salvage = try Salvage.save(path, migrator, keys, known, because: error)
      opened = try Self.open(path, keys, migrator, known)
    }
    self.path = path
    self.salvage = salvage
    self.lock = lock
    (database, sealing, witness) = (opened.database, opened.sealing, opened.witness)
    commits = GroupCommit(database, witness)
    events = EventLog(retention: retention)
  }

  /// A store in memory, as a worker has it in a product that keeps nothing; gone with the process.
  /// - Throws: ``StoreError`` when a migration fails.
  public init(
    inMemoryWith keys: SealingKeys = SealingKeys(worker: "memory"), migrations: [Migration],
    events retention: EventRetention = EventRetention()
  ) throws(StoreError) {
    path = nil
    salvage = nil
    lock = nil
    witness = nil
    do {
      let queue = try DatabaseQueue()
      try StoreSchema.migrator(migrations).migrate(queue)
      sealing = try queue.write { try StoreSealing(keys: keys, in: $0) }
      database = queue
    } catch {
      throw StoreError(.unusable, error, "the store in memory")
    }
    commits = GroupCommit(database, nil)
    events = EventLog(retention: retention)
  }

  /// Reads, in one consistent view, beside whatever is being written.
  /// - Throws: what `body` throws; ``StoreError`` when the disk fails.
  public func read<Value: Sendable>(
    _ body: @escaping @Sendable (ReadTransaction) throws -> Value
  ) async throws -> Value {
    let (sealing, texts) = (sealing, texts)
    do {
      return try await database.read { database in
        let connection = StoreConnection(database: database, texts: texts)
        return try body(ReadTransaction(connection: connection, sealing: sealing))
      }
    } catch {
      throw StoreError.mapped(error, path: path ?? "the store in memory")
    }
  }

  /// Writes: all that `body` does or, when it throws, nothing. What this returns from is durable.
  ///
  /// Writes that come at the same time share one transaction, each as if it were alone: `body` sees
  /// those before it, and its failure takes nothing of them. `body` may run a second time after the
  /// first was taken back, so that it must do nothing but read and write the transaction. A write
  /// that has begun to wait is carried out also when its task is cancelled.
  /// - Throws: what `body` throws; INTERNAL in the handler of a call whose answer this store has to
  ///   keep, which writes with ``write(for:_:now:lifetime:_:)``; ``StoreError`` when the disk is
  ///   full or fails, after which the next write may succeed, and `removed` when the files are not
  ///   in their place any more, where nothing that is written would be found; `CancellationError`
  ///   when the task was cancelled before.
  @discardableResult
  public func write<Value: Sendable>(
    _ body: @escaping @Sendable (WriteTransaction) throws -> Value
  ) async throws -> Value {
    try ChangingCall.current?.checkPlainWrite(to: self)
    return try await commit(body)
  }

  /// Writes, for ``write(_:)`` and for ``write(for:_:now:lifetime:_:)``.
  func commit<Value: Sendable>(
    _ body: @escaping @Sendable (WriteTransaction) throws -> Value
  ) async throws -> Value {
    try Task.checkCancellation()
    let (sealing, texts, events) = (sealing, texts, events)
    let path = path ?? "the store in memory"
    return try await withCheckedThrowingContinuation { continuation in
      commits.add(
        GroupCommit.Write(
          run: { database in
            let appended = EventLog.Appended()
            let value = try body(
              WriteTransaction(
                connection: StoreConnection(database: database, texts: texts), sealing: sealing,
                events: events, appended: appended))
            let hasEvents = appended.count > 0
            return {
              continuation.resume(returning: value)
              if hasEvents { events.announce() }
            }
          }, fail: { continuation.resume(throwing: StoreError.mapped($0, path: path)) }))
    }
  }

  // MARK: The files

  /// How far the store has come, for the host to know; nil in memory, and while its files are not
  /// in their place.
  public var standing: StoreStanding? { witness?.standing }

  /// Calls a function whenever the files turn out to be gone from their place, with what is wrong,
  /// and with nil when they are back. Each write looks, and so does ``checkPlace()``.
  public func onTrouble(_ told: @escaping @Sendable (StoreError?) -> Void) {
    witness?.onTrouble(told)
  }

  /// Checks that the files are in their place, for a worker to which nobody writes.
  public func checkPlace() { try? witness?.checkPlace() }

  /// Waits for the writes that were begun, then carries the write-ahead log over into the file and
  /// empties it: to be called when no more is to be written, before the process ends. What cannot
  /// be done is left to the next process.
  public func settle() async {
    guard let witness else { return }
    await withCheckedContinuation { continuation in
      database.asyncWriteWithoutTransaction { database in
        witness.settle(database)
        continuation.resume()
      }
    }
  }

  /// Settles and closes the file; nothing can be read or written afterwards. A process that ends
  /// without it, as one that is killed, loses nothing that was acknowledged.
  public func close() throws {
    if let witness { database.writeWithoutTransaction { witness.settle($0) } }
    try database.close()
  }

  // MARK: Opening

  private struct Opened {
    var database: any DatabaseWriter
    var sealing: StoreSealing
    var witness: StoreWitness
  }

  private static func open(
    _ path: String, _ keys: SealingKeys, _ migrator: DatabaseMigrator, _ known: StoreStanding?
  ) throws(StoreError) -> Opened {
    let history = try StoreHistory.read(path, known: known)
    try history.checkFiles(path)
    try createPrivate(path)
    do {
      let damaged = try check(path, migrator, keys, history)
      try StoreDigest.remove(of: path)
      var configuration = Configuration()
      // Another generation of the worker, or a tool, may hold the lock for a moment.
      configuration.busyMode = .timeout(5)
      configuration.maximumReaderCount = 4
      let pool = try DatabasePool(path: path, configuration: configuration)
      try pool.writeWithoutTransaction { database in
        // GRDB sets NORMAL with the write-ahead log.
        try database.execute(sql: "PRAGMA synchronous = FULL")
        // Enough for the pages of a large transaction, 16 MiB: those that do not fit are written
        // twice.
        try database.execute(sql: "PRAGMA cache_size = -16384")
      }
      // What GRDB has written with NORMAL reaches the disk before what follows: see
      // ``WriteAheadLog``.
      try DurableCopy.sync("\(path)-wal")
      try migrator.migrate(pool)
      let (sealing, found) = try pool.write { database in
        (try StoreSealing(keys: keys, in: database), try StoreHistory.Found(database))
      }
      guard let found else { throw StoreError(.damaged, "\(path): its row of kith_store is gone") }
      for place in damaged { sealing.damage.note(place) }
      let witness = try StoreWitness(path, found, history.marks, sealing)
      return Opened(database: pool, sealing: sealing, witness: witness)
    } catch let error as StoreError {
      throw error
    } catch let error as SealingError {
      throw StoreError(error)
    } catch {
      let code = (error as? DatabaseError).flatMap(StoreError.code)
      throw StoreError(code ?? .unusable, error, path)
    }
  }

  /// Makes the file before SQLite does, which would let others read it. One that is there is not
  /// opened: to close it would take away the locks that SQLite has on it in this process.
  private static func createPrivate(_ path: String) throws(StoreError) {
    let file = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if file >= 0 {
      Glibc.close(file)
      return
    }
    let code = errno
    var status = stat()
    let isFile = lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    guard code == EEXIST, isFile else {
      throw StoreError(
        .unusable,
        "\(path) cannot be opened: \(code == EEXIST ? "it is no file" : String(cString: strerror(code)))"
      )
    }
  }

  /// Checks, before anything is written to it, that a file is whole, of no later version, and the
  /// one that was last used: every page of it, but not the order of its indexes, which takes long.
  /// Answers the encrypted values that were found not to open.
  private static func check(
    _ path: String, _ migrator: DatabaseMigrator, _ keys: SealingKeys, _ history: StoreHistory
  ) throws -> [SealedPlace] {
    var configuration = Configuration()
    // A process that was killed while it made the file has left a journal, which only a writer may
    // roll back.
    configuration.readonly = RegularFile.size("\(path)-journal") ?? 0 == 0
    configuration.busyMode = .timeout(5)
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try checkPages(queue, path)
    if try queue.read({ try StoreSchema.isSuperseded(migrator, $0) }) {
      throw StoreError(
        .laterVersion,
        "\(path) was written by a later version of this worker: start that version, or restore a "
          + "backup")
    }
    let damaged = try queue.read { database in
      let sealing = try StoreSealing(of: database, keys)
      var history = history
      if let sealing { history.marks?.removeAll { !$0.isSigned(by: sealing) } }
      return try history.check(StoreHistory.Found(database), path, sealing, database)
    }
    try queue.close()
    return damaged
  }

  /// Checks that every page of a file is whole.
  static func checkPages(_ database: any DatabaseReader, _ path: String) throws {
    let findings = try database.read { try String.fetchAll($0, sql: "PRAGMA quick_check(3)") }
    guard findings == ["ok"] else {
      throw StoreError(.damaged, "\(path) is damaged (\(findings.first ?? "unknown"))")
    }
  }

  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

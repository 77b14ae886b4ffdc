import GRDB
import Glibc
import Synchronization

/// Sees to it that what a store acknowledges can be found again: counts its transactions, keeps the
/// ``StoreMark`` beside it, and looks before and after each transaction whether the files are still
/// those that stand at their paths.
///
/// A file that was removed or replaced while it is open can still be written, and all of that is
/// lost with the process.
final class StoreWitness: Sendable {
  /// After how many transactions the write-ahead log is carried over into the file, if it was not
  /// before.
  static let checkpointEvery: Int64 = 256

  private struct State {
    var reached: StoreMark
    var trouble: StoreError?
    var told: (@Sendable (StoreError?) -> Void)?
  }

  /// A file and what makes it that one.
  private struct File {
    var path: String
    var device: UInt
    var inode: UInt

    init(_ path: String) throws(StoreError) {
      var status = stat()
      guard stat(path, &status) == 0 else { throw StoreError(system: path) }
      self.path = path
      (device, inode) = (UInt(status.st_dev), UInt(status.st_ino))
    }

    var isInPlace: Bool {
      var status = stat()
      return stat(path, &status) == 0 && UInt(status.st_dev) == device
        && UInt(status.st_ino) == inode
    }
  }

  private let path: String
  private let files: [File]
  /// The database file, for its digest. It is closed with the store: a process that closes any
  /// descriptor of a file gives up the locks that SQLite has on it.
  private let descriptor: Int32
  private let mark: StoreMarkFile
  private let sealing: StoreSealing
  private let state: Mutex<State>

  /// The witness of a store that is open, whose history was found to be right; makes its mark where
  /// there is none yet.
  /// - Throws: ``StoreError`` when the mark cannot be written.
  init(
    _ path: String, _ found: StoreHistory.Found, _ marks: [StoreMark]?, _ sealing: StoreSealing
  ) throws(StoreError) {
    let checkpointed = marks?.filter { $0.log == found.log }.map(\.checkpointed).max() ?? 0
    let reached = StoreMark(log: found.log, commits: found.commits, checkpointed: checkpointed)
    if marks == nil { try StoreMark.create(StoreMark.path(of: path), reached, sealing) }
    mark = try StoreMarkFile(of: path)
    if marks != nil { try mark.write(reached, sealing) }
    files = [try File(path), try File("\(path)-wal"), try File(mark.path)]
    self.path = path
    self.sealing = sealing
    descriptor = try RegularFile.open(path, O_RDONLY)
    state = Mutex(State(reached: reached))
  }

  deinit { close(descriptor) }

  /// How far the store has come; nil while its files are not in place.
  var standing: StoreStanding? {
    state.withLock { state in
      state.trouble == nil
        ? StoreStanding(log: state.reached.log, commits: state.reached.commits) : nil
    }
  }

  /// Calls a function whenever the files turn out to be gone, and with nil when they are back.
  func onTrouble(_ told: @escaping @Sendable (StoreError?) -> Void) {
    state.withLock { $0.told = told }
  }

  /// Checks that the files are those at their paths. Three looks at the file system, which cost
  /// some microseconds.
  /// - Throws: ``StoreError`` `removed`.
  func checkPlace() throws(StoreError) {
    let missing = files.first { !$0.isInPlace }
    let trouble = missing.map { file in
      StoreError(
        .removed,
        "\(file.path) was removed or replaced while the worker had it open, and nothing more is written to it; stop the "
          + "worker, bring the file back or restore a backup with `kith restore`, and start the worker"
      )
    }
    let told = state.withLock { state in
      defer { state.trouble = trouble }
      return state.trouble == trouble ? nil : state.told
    }
    told?(trouble)
    if let trouble { throw trouble }
  }

  /// Counts a transaction, within it; answers its number.
  func count(_ database: Database) throws -> Int64 {
    let number = try StoreStanding.count(database)
    if number.isMultiple(of: Self.checkpointEvery) { try Self.stamp(number, database) }
    return number
  }

  /// A transaction is durable: looks where it went, and notes it in the mark.
  /// - Throws: ``StoreError`` when it went where nobody will find it, or cannot be noted.
  func committed(_ number: Int64) throws(StoreError) {
    try checkPlace()
    let reached = state.withLock { state in
      state.reached.commits = max(state.reached.commits, number)
      return state.reached
    }
    try mark.write(reached, sealing)
  }

  /// Carries the write-ahead log over into the file when it is time to. What goes wrong is left to
  /// the next time.
  func checkpointIfDue(after number: Int64, _ database: Database) {
    guard number.isMultiple(of: Self.checkpointEvery),
      let (frames, done) = try? database.checkpoint(.passive), frames == done
    else { return }
    completed(number)
  }

  /// Carries all of the write-ahead log over into the file and empties it, as far as no other
  /// process uses it, has the mark reach the disk, and writes the ``StoreDigest``: nothing depends
  /// on the log afterwards. What goes wrong leaves the log as it was.
  func settle(_ database: Database) {
    do {
      // Not to hold up another generation of the worker, which uses the file.
      try database.execute(sql: "PRAGMA busy_timeout = 0")
      var number: Int64 = 0
      try database.inTransaction(.immediate) {
        number = try StoreStanding.count(database)
        try Self.stamp(number, database)
        return .commit
      }
      try committed(number)
      try database.checkpoint(.truncate)
      completed(number)
      try mark.sync()
      try writeDigest(after: number, database)
    } catch {
      // The log and the mark are as durable as they were.
    }
  }

  /// Writes the digest of the file unless another process has written since: the write lock keeps
  /// the file as it is, since only what is in the log can still go into it.
  private func writeDigest(after number: Int64, _ database: Database) throws {
    let log = state.withLock(\.reached.log)
    try database.inTransaction(.immediate) {
      let count = try Int64.fetchOne(database, sql: "SELECT commits FROM kith_store WHERE id = 1")
      if count == number, RegularFile.size("\(path)-wal") == 0,
        let content = StoreDigest.content(of: descriptor)
      {
        try StoreDigest(log: log, commits: number, content: content, sealing).write(of: path)
      }
      return .rollback
    }
  }

  /// Writes into the file's header up to which transaction it is complete, once the next checkpoint
  /// is done.
  private static func stamp(_ number: Int64, _ database: Database) throws {
    try database.execute(sql: "PRAGMA user_version = \(Int32(truncatingIfNeeded: number))")
  }

  private func completed(_ number: Int64) {
    let reached = state.withLock { state in
      state.reached.checkpointed = max(state.reached.checkpointed, number)
      return state.reached
    }
    try? mark.write(reached, sealing)
  }
}

import Glibc
import KithManifest
import KithSupervision
import Synchronization

/// Takes what workers write to their standard output and error, keeps it in files and gives it to
/// readers.
///
/// It has two threads of its own: one for the files, so that a slow disk delays logs and nothing
/// else, and one that takes personal data out of what workers wrote (`LogKeeper+Output.swift`), so
/// that a worker that writes without end delays nobody.
actor LogKeeper {
  /// The host's own log.
  static let hostName = "kithd"

  /// How much of workers' output there may be where.
  struct Bounds: Hashable, Sendable {
    /// How many bytes of one stream may wait in its spool. Of a process that writes more than its
    /// budget lets in, the oldest lines are dropped and counted.
    var backlog: UInt64 = 8 << 20
    /// How many bytes of one stream are taken after the end of its process: its last words, and no
    /// more than is read at once.
    var rest: UInt64 = 512 << 10
    /// As above, when the host itself ends and somebody waits for that.
    var restAtTheEnd: UInt64 = 64 << 10
    /// How many bytes are read at a time, so that the workers take turns.
    var portion = 32 << 10
    /// How many bytes that stand in the log are given back at a time.
    var givenBack: UInt64 = 256 << 10
    /// What one worker may take of the thread that scrubs.
    var budget = ScrubbingBudget.Limits()
  }

  let reactor: Reactor
  /// The thread that scrubs; it holds no state.
  let scrubber: Reactor
  private let limits: RotatedFile.Limits
  let bounds: Bounds
  nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

  var files: [String: RotatedFile] = [:]
  let folder: String
  private let writes: FolderWatch
  /// What workers write.
  var output = Output()
  private var readers: [(logs: Set<String>, waiter: Waiter<Void>)] = []
  private var isClosing = false
  /// The troubles with logs, for those who ask without waiting for this thread.
  private let known = Mutex<[String: Trouble]>([:])

  /// Opens the logs of these workers and the host's own.
  init(
    reactor: Reactor, scrubber: Reactor, places: ProductPlaces, workers: [String],
    limits: RotatedFile.Limits = RotatedFile.Limits(),
    bounds: Bounds = Bounds()
  ) throws(SystemError) {
    self.reactor = reactor
    self.scrubber = scrubber
    folder = OutputSpool.folder(of: places)
    writes = try FolderWatch(folder)
    self.limits = limits
    self.bounds = bounds
    for name in workers + [Self.hostName] {
      files[name] = try RotatedFile(path: places.logFile(worker: name), limits: limits)
    }
    _ = try reactor.watch(writes.descriptor) { [weak self] in
      self?.assumeIsolated { $0.spoolsChanged() }
    }
  }

  /// Opens the log of one more worker, unless it is open.
  func open(logOf worker: String, at path: String) throws(SystemError) {
    guard files[worker] == nil else { return }
    files[worker] = try RotatedFile(path: path, limits: limits)
  }

  /// Watches the folder of the spools again, which was removed and has been made again.
  nonisolated func folderWasRenewed() {
    inOrder { keeper in
      do throws(SystemError) {
        try keeper.writes.watch(keeper.folder)
      } catch {
        keeper.add(
          log: Self.hostName, generation: 0, level: .error,
          "what workers write is logged late, since \(keeper.folder) cannot be watched: \(error)")
      }
    }
  }

  // MARK: Writing

  /// Begins to take the output of a process, whose spools have been made.
  nonisolated func capture(_ incarnation: Incarnation) {
    inOrder { $0.begin(incarnation, from: LogRecord.Taken(), lastWords: LastWords()) }
  }

  /// Goes on taking the output of a process that an earlier host started, behind what stands in the
  /// log.
  nonisolated func resume(_ incarnation: Incarnation) {
    inOrder { keeper in
      let (taken, words) = keeper.whatIsLogged(of: incarnation)
      keeper.begin(incarnation, from: taken, lastWords: words)
    }
  }

  /// Takes what is left of the output of a process that has ended, and no more: a descendant that
  /// escaped could write for ever.
  nonisolated func finish(_ incarnation: Incarnation) {
    inOrder { $0.end(incarnation) }
  }

  /// Adds a line of the host about a worker, or to its own log.
  nonisolated func note(
    log: String, generation: UInt64, level: LogRecord.Level = .notice, _ text: String
  ) {
    inOrder { $0.add(log: log, generation: generation, level: level, text) }
  }

  func add(log: String, generation: UInt64, level: LogRecord.Level, _ text: String) {
    var splitter = LineSplitter()
    let lines = (splitter.add(Array(text.utf8)) + splitter.finish()).map(\.text)
    let now = WallClock.milliseconds
    let records = lines.map {
      LogRecord(
        atMilliseconds: now, worker: log, generation: generation, stream: .host, level: level,
        text: $0
      ).withoutPersonalData
    }
    // Behind the last words of a process that has ended, which this may be about.
    if output.isEnding(log) {
      output.notes[log, default: []] += records
    } else {
      keep(log, records.map(LogRecord.Encoded.init))
    }
  }

  /// Ends the wait of all who wait for lines, now and from here on.
  nonisolated func releaseReaders() {
    inOrder { keeper in
      keeper.isClosing = true
      for reader in keeper.readers { reader.waiter.finish(.success(())) }
      keeper.readers = []
    }
  }

  /// Does other work that waits for the disk, in the order of what is asked for.
  nonisolated func perform(_ work: @escaping @Sendable () -> Void) {
    reactor.perform(work)
  }

  /// As above, for work with an outcome that somebody waits for.
  func run<Value: Sendable, Failure: Error>(
    _ work: @Sendable () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try work()
  }

  /// What is asked for one after the other is done one after the other.
  nonisolated func inOrder(_ change: @escaping @Sendable (isolated LogKeeper) -> Void) {
    reactor.perform { self.assumeIsolated(change) }
  }

  private func spoolsChanged() {
    for name in writes.changed() ?? output.names { spoolChanged(name) }
    nextTurn()
  }

  func keep(_ log: String, _ records: [LogRecord.Encoded]) {
    let trouble = files[log]?.trouble
    files[log]?.append(records)
    noteTrouble(with: log, before: trouble)
    release { $0.contains(log) }
    for notice in files[log]?.takeNotices() ?? [] {
      add(log: Self.hostName, generation: 0, level: .warning, notice)
    }
  }

  private func release(_ isConcerned: (Set<String>) -> Bool) {
    for reader in readers where isConcerned(reader.logs) { reader.waiter.finish(.success(())) }
    readers.removeAll { $0.waiter.isFinished }
  }

  // MARK: Logs that cannot be written

  /// A log that cannot be written now, or that lines are missing from since the host started.
  struct Trouble: Hashable, Sendable {
    var log: String
    /// Why it cannot be written; empty when it can be again.
    var reason: String
    var linesWaiting: UInt64
    var linesLost: UInt64
    /// Output of the worker that was over its budget.
    var dropped: OutputSpool.Dropped
  }

  /// How long after a failure the file is tried again.
  private static let retryInterval = Duration.seconds(1)

  /// The logs that cannot be written, or have lost lines, by name. Answered at once, however slow
  /// the disk is.
  nonisolated var troubles: [Trouble] {
    known.withLock { $0.values.sorted { $0.log < $1.log } }
  }

  /// Tells the host's own log when a log cannot be written any more and when it can again, and sees
  /// to it that it is tried.
  func noteTrouble(with log: String, before: SystemError?) {
    guard let file = files[log] else { return }
    let dropped = output.dropped[log] ?? OutputSpool.Dropped()
    if file.trouble != nil || before != nil || file.lost > 0 || dropped.bytes > 0 {
      let isWell = file.trouble == nil && file.lost == 0 && dropped.bytes == 0
      let trouble = Trouble(
        log: log, reason: file.trouble.map { "\($0)" } ?? "", linesWaiting: UInt64(file.waiting),
        linesLost: file.lost, dropped: dropped)
      known.withLock { $0[log] = isWell ? nil : trouble }
    }
    if file.trouble != nil {
      reactor.setAlarm(for: self, at: .now + Self.retryInterval) { [weak self] in
        self?.assumeIsolated { $0.retry() }
      }
    }
    guard (before == nil) != (file.trouble == nil) else { return }
    let lost = file.lost > 0 ? "; \(file.lost) lines were lost since the host started" : ""
    if let trouble = file.trouble {
      add(
        log: Self.hostName, generation: 0, level: .error,
        "the log of \(log) cannot be written, its lines wait in memory: \(trouble)")
    } else {
      add(
        log: Self.hostName, generation: 0, level: .notice,
        "the log of \(log) can be written again\(lost)")
    }
  }

  private func retry() {
    for (log, file) in files where file.trouble != nil {
      let trouble = file.trouble
      files[log]?.flush()
      noteTrouble(with: log, before: trouble)
      release { $0.contains(log) }
    }
    nextTurn()
  }

  // MARK: Reading

  /// Where reading goes on: a position in each of several logs.
  typealias Cursor = [String: UInt64]

  /// The positions at which the last lines of several logs begin.
  func cursor(
    of logs: [String], lastLines: Int, minimumLevel: LogRecord.Level
  ) throws(SystemError) -> Cursor {
    var cursor: Cursor = [:]
    for log in logs {
      cursor[log] = try files[log]?.position(ofLast: lastLines, minimumLevel: minimumLevel) ?? 0
    }
    return cursor
  }

  /// Lines from a cursor on, at most `limit`, merged by their time, and where to go on.
  ///
  /// Nothing is written while this reads, so that what a later read gives is not older than what
  /// this one gave, but for the moment between a line's writing and its reading by the host.
  func read(
    from cursor: Cursor, minimumLevel: LogRecord.Level, limit: Int
  ) throws(SystemError) -> (records: [LogRecord], next: Cursor, isAtEnd: Bool) {
    struct Page {
      var log: String
      var entries: ArraySlice<RotatedFile.Entry>
      var next: UInt64
      var isLast: Bool
    }
    var next = cursor
    var pages: [Page] = []
    for (log, position) in cursor.sorted(by: { $0.key < $1.key }) {
      guard let file = files[log] else { continue }
      let page = try file.read(from: position, minimumLevel: minimumLevel, limit: limit)
      pages.append(
        Page(
          log: log, entries: page.entries[...], next: page.next, isLast: page.next == file.end))
    }
    var records: [LogRecord] = []
    // What is behind a page that ended early may be older than what the others hold.
    while records.count < limit, !pages.contains(where: { $0.entries.isEmpty && !$0.isLast }) {
      let first = pages.indices.filter { !pages[$0].entries.isEmpty }.min {
        let left = pages[$0].entries.first?.record.atMilliseconds ?? 0
        return left < pages[$1].entries.first?.record.atMilliseconds ?? 0
      }
      guard let first, let entry = pages[first].entries.popFirst() else { break }
      records.append(entry.record)
      next[pages[first].log] = entry.next
    }
    for page in pages where page.entries.isEmpty { next[page.log] = page.next }
    return (records, next, pages.allSatisfy { $0.entries.isEmpty && $0.isLast })
  }

  /// Waits until one of the logs has something behind its position; false when nothing more will
  /// come because the host ends.
  func waitForLines(after cursor: Cursor) async throws -> Bool {
    let hasMore = cursor.contains { log, position in (files[log]?.end ?? 0) > position }
    if hasMore { return true }
    guard !isClosing else { return false }
    let waiter = Waiter<Void>()
    readers.removeAll { $0.waiter.isFinished }
    readers.append((Set(cursor.keys), waiter))
    try await waiter.value()
    return !isClosing
  }

  /// Returns when everything that was asked for before has been written, as far as it can be; what
  /// processes that still run have written is left to the next host.
  /// - Parameter isLast: whether the host ends then, which a flood must not delay.
  func flush(isLast: Bool = false) async {
    output.isLast = isLast
    while !Task.isCancelled, let incarnation = output.ending.first { await settle(incarnation) }
    for log in files.keys { files[log]?.flush() }
  }
}

import Glibc
import KithManifest
import KithSupervision
import Synchronization

/// Takes what workers write to their standard output and error, keeps it in files and gives it to readers.
///
/// It runs on a thread of its own: a slow disk delays logs and nothing else.
actor LogKeeper {
  /// The host's own log.
  static let hostName = "kithd"
  /// How much of one stream may wait to be read: a process that writes faster than its log can be written loses lines, and
  /// fills no disk.
  static let largestBacklog: UInt64 = 64 << 20

  /// One stream of a process.
  private struct Source {
    var incarnation: Incarnation
    var stream: LogRecord.Stream
    var spool: OutputSpool
    var splitter = LineSplitter()
  }

  private let reactor: Reactor
  private let limits: RotatedFile.Limits
  nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

  private var files: [String: RotatedFile] = [:]
  private let folder: String
  private let writes: FolderWatch
  /// What is read, by the names of the files.
  private var sources: [String: Source] = [:]
  /// How much of the processes' output stands in the logs.
  private var taken: [Incarnation: LogRecord.Taken] = [:]
  private var lastWords: [Incarnation: LastWords] = [:]
  /// Processes that said that they were refused memory.
  private var outOfMemory: Set<Incarnation> = []
  private var readers: [(logs: Set<String>, waiter: Waiter<Void>)] = []
  private var isClosing = false
  /// The troubles with logs, for those who ask without waiting for this thread.
  private let known = Mutex<[String: Trouble]>([:])

  /// Opens the logs of these workers and the host's own.
  init(
    reactor: Reactor, places: ProductPlaces, workers: [String],
    limits: RotatedFile.Limits = RotatedFile.Limits()
  ) throws(SystemError) {
    self.reactor = reactor
    folder = places.hostDirectory
    writes = try FolderWatch(folder)
    self.limits = limits
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

  // MARK: Writing

  /// Begins to take the output of a process, whose spools have been made.
  nonisolated func capture(_ incarnation: Incarnation) {
    inOrder { $0.begin(incarnation, from: LogRecord.Taken(), lastWords: LastWords()) }
  }

  /// Goes on taking the output of a process that an earlier host started, behind what stands in the log.
  nonisolated func resume(_ incarnation: Incarnation) {
    inOrder { keeper in
      let (taken, words) = keeper.whatIsLogged(of: incarnation)
      keeper.begin(incarnation, from: taken, lastWords: words)
    }
  }

  /// Takes what is left of the output of a process that has ended, and no more: a descendant that escaped could write for
  /// ever.
  nonisolated func finish(_ incarnation: Incarnation) {
    inOrder { $0.end(incarnation) }
  }

  /// Adds a line of the host about a worker, or to its own log.
  nonisolated func note(
    log: String, generation: UInt64, level: LogRecord.Level = .notice, _ text: String
  ) {
    inOrder { $0.add(log: log, generation: generation, level: level, text) }
  }

  private func add(log: String, generation: UInt64, level: LogRecord.Level, _ text: String) {
    var splitter = LineSplitter()
    let lines = (splitter.add(Array(text.utf8)) + splitter.finish()).map(\.text)
    let now = WallClock.milliseconds
    keep(
      log,
      lines.map {
        LogRecord(
          atMilliseconds: now, worker: log, generation: generation, stream: .host, level: level,
          text: $0
        ).withoutPersonalData
      })
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
  private nonisolated func inOrder(_ change: @escaping @Sendable (isolated LogKeeper) -> Void) {
    reactor.perform { self.assumeIsolated(change) }
  }

  private func begin(
    _ incarnation: Incarnation, from taken: LogRecord.Taken, lastWords words: LastWords
  ) {
    // Of a worker's earlier processes only the last one's words are asked for.
    let last = lastWords.keys.filter { $0.worker == incarnation.worker }.map(\.generation).max()
    lastWords = lastWords.filter {
      $0.key.worker != incarnation.worker || $0.key.generation == last
    }
    lastWords[incarnation] = words
    outOfMemory = outOfMemory.filter { lastWords[$0] != nil }
    self.taken[incarnation] = taken
    for stream in [LogRecord.Stream.stdout, .stderr] {
      let name = OutputSpool.name(of: incarnation, stream)
      do throws(SystemError) {
        let spool = try OutputSpool(path: "\(folder)/\(name)", from: taken[stream])
        sources[name] = Source(incarnation: incarnation, stream: stream, spool: spool)
      } catch {
        add(
          log: incarnation.worker, generation: incarnation.generation, level: .error,
          "its \(stream.rawValue) is not logged: \(error)")
      }
    }
    pump(incarnation)
  }

  /// How much of a process's output an earlier host has written to the log, and the last lines of its standard error.
  private func whatIsLogged(of incarnation: Incarnation) -> (LogRecord.Taken, LastWords) {
    guard let file = files[incarnation.worker] else { return (LogRecord.Taken(), LastWords()) }
    var count = 200
    while true {
      let begin = (try? file.position(ofLast: count)) ?? 0
      var position = begin
      var taken: LogRecord.Taken?
      var words = LastWords()
      var oldest: UInt64?
      while let page = try? file.read(from: position, limit: 1000), page.next > position {
        for record in page.entries.map(\.record) {
          oldest = min(oldest ?? .max, record.generation)
          guard record.generation == incarnation.generation else { continue }
          if let mark = record.taken { taken = mark }
          if record.stream == .stderr { words.add([record.line]) }
        }
        position = page.next
      }
      // Two generations may run at once, so lines of the one before tell nothing; those of older ones say that none follow.
      let isWhole = begin <= file.begin || (oldest ?? .max) + 1 < incarnation.generation
      guard taken == nil, !isWhole else {
        return (taken ?? LogRecord.Taken(), words)
      }
      count *= 20
    }
  }

  private func spoolsChanged() {
    for name in writes.changed() ?? Array(sources.keys) { pump(name) }
  }

  private func pump(_ incarnation: Incarnation) {
    // Errors last: what a process complains of when it ends comes behind what it had to say.
    for stream in [LogRecord.Stream.stdout, .stderr] {
      pump(OutputSpool.name(of: incarnation, stream))
    }
  }

  private func pump(_ name: String, toTheEnd: Bool = false) {
    while var source = sources[name] {
      let excess = source.spool.waiting.subtractingReportingOverflow(Self.largestBacklog)
      if !excess.overflow, excess.partialValue > 0 { skip(excess.partialValue, of: &source) }
      guard let bytes = try? source.spool.read(atMost: Self.portion), !bytes.isEmpty else {
        sources[name] = source
        return
      }
      let lines = source.splitter.add(bytes)
      sources[name] = source
      write(lines, of: source)
      giveBack(name)
      if toTheEnd { continue }
      // One read at a time, so that a worker that writes without end lets others have their turn.
      if bytes.count == Self.portion { inOrder { $0.pump(name) } }
      return
    }
  }

  /// How much is read at a time.
  private static let portion = 64 << 10

  private func skip(_ count: UInt64, of source: inout Source) {
    write(source.splitter.finish(), of: source)
    source.spool.skip(count)
    let (worker, generation) = (source.incarnation.worker, source.incarnation.generation)
    taken[source.incarnation]?[source.stream] = source.spool.position
    add(
      log: worker, generation: generation, level: .error,
      "\(count) bytes of its \(source.stream.rawValue) were lost: it wrote faster than its log can be written"
    )
  }

  /// What stands in the log need not be kept anywhere else.
  private func giveBack(_ name: String) {
    guard let source = sources[name], files[source.incarnation.worker]?.waiting == 0 else { return }
    let taken = taken[source.incarnation]?[source.stream] ?? 0
    sources[name]?.spool.giveBack(upTo: taken)
  }

  private func end(_ incarnation: Incarnation) {
    for stream in [LogRecord.Stream.stdout, .stderr] {
      let name = OutputSpool.name(of: incarnation, stream)
      pump(name, toTheEnd: true)
      guard var source = sources.removeValue(forKey: name) else { continue }
      write(source.splitter.finish(), of: source)
      unlink(source.spool.path)
    }
    taken[incarnation] = nil
  }

  private func write(_ lines: [LineSplitter.Line], of source: Source) {
    guard !lines.isEmpty else { return }
    let now = WallClock.milliseconds
    let incarnation = source.incarnation
    var taken = taken[incarnation] ?? LogRecord.Taken()
    let records = lines.map { line in
      taken[source.stream] += UInt64(line.bytes)
      var record = LogRecord(
        written: line.text, at: now, by: incarnation.worker, generation: incarnation.generation,
        on: source.stream
      ).withoutPersonalData
      record.taken = taken
      return record
    }
    self.taken[incarnation] = taken
    if source.stream == .stderr {
      lastWords[incarnation, default: LastWords()].add(records.map(\.line))
      // What the Swift runtime says when it ends a process for want of memory.
      if lines.contains(where: { $0.text.hasPrefix("Fatal error: failed to allocate ") }) {
        outOfMemory.insert(incarnation)
      }
    }
    keep(incarnation.worker, records)
  }

  private func keep(_ log: String, _ records: [LogRecord]) {
    let trouble = files[log]?.trouble
    files[log]?.append(records)
    noteTrouble(with: log, before: trouble)
    release { $0.contains(log) }
  }

  private func release(_ isConcerned: (Set<String>) -> Bool) {
    for reader in readers where isConcerned(reader.logs) { reader.waiter.finish(.success(())) }
    readers.removeAll { $0.waiter.isFinished }
  }

  // MARK: Logs that cannot be written

  /// A log that cannot be written now, or lost lines since the host started.
  struct Trouble: Hashable, Sendable {
    var log: String
    /// Why it cannot be written; empty when it can be again.
    var reason: String
    var linesWaiting: UInt64
    var linesLost: UInt64
  }

  /// How long after a failure the file is tried again.
  private static let retryInterval = Duration.seconds(1)

  /// The logs that cannot be written, or have lost lines, by name. Answered at once, however slow the disk is.
  nonisolated var troubles: [Trouble] {
    known.withLock { $0.values.sorted { $0.log < $1.log } }
  }

  /// Tells the host's own log when a log cannot be written any more and when it can again, and sees to it that it is tried.
  private func noteTrouble(with log: String, before: SystemError?) {
    guard let file = files[log] else { return }
    if file.trouble != nil || before != nil || file.lost > 0 {
      let isWell = file.trouble == nil && file.lost == 0
      let trouble = Trouble(
        log: log, reason: file.trouble.map { "\($0)" } ?? "", linesWaiting: UInt64(file.waiting),
        linesLost: file.lost)
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
  }

  // MARK: Reading

  /// The last lines that a process wrote to its standard error, oldest first.
  func lastErrorLines(of incarnation: Incarnation) -> [String] {
    pump(incarnation)
    return lastWords[incarnation]?.lines ?? []
  }

  /// Whether the last words of a process, which has ended, were that it was refused memory.
  func saidOutOfMemory(_ incarnation: Incarnation) -> Bool {
    outOfMemory.contains(incarnation)
  }

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
  /// Nothing is written while this reads, so that what a later read gives is not older than what this one gave, but for
  /// the moment between a line's writing and its reading by the host.
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

  /// Waits until one of the logs has something behind its position; false when nothing more will come because the host ends.
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

  /// Returns when everything that was asked for before has been written, as far as it can be.
  func flush() {
    for log in files.keys { files[log]?.flush() }
  }
}

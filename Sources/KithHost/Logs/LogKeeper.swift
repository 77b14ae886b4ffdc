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
  /// How many lines of a process's standard error are remembered for its obituary.
  static let rememberedLines = 10

  /// The output of one process, or what is left of it.
  private struct Source {
    var incarnation: Incarnation
    var stream: LogRecord.Stream
    var descriptor: Descriptor
    var watch: Reactor.Watch
    var splitter = LineSplitter()
  }

  private let reactor: Reactor
  private let limits: RotatedFile.Limits
  nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

  private var files: [String: RotatedFile] = [:]
  private var sources: [UInt64: Source] = [:]
  private var nextSource: UInt64 = 1
  private var lastLines: [Incarnation: [String]] = [:]
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
    self.limits = limits
    for name in workers + [Self.hostName] {
      files[name] = try RotatedFile(path: places.logFile(worker: name), limits: limits)
    }
  }

  /// Opens the log of one more worker, unless it is open.
  func open(logOf worker: String, at path: String) throws(SystemError) {
    guard files[worker] == nil else { return }
    files[worker] = try RotatedFile(path: path, limits: limits)
  }

  // MARK: Writing

  /// Begins to take the output of a process.
  nonisolated func capture(_ incarnation: Incarnation, stdout: Descriptor, stderr: Descriptor) {
    inOrder { $0.begin(incarnation, stdout: stdout, stderr: stderr) }
  }

  /// Takes what is left of the output of a process that has ended, and no more: a descendant that escaped could hold the
  /// pipe open for ever.
  nonisolated func finish(_ incarnation: Incarnation) {
    inOrder { keeper in
      for (key, source) in keeper.sources where source.incarnation == incarnation {
        keeper.pump(key, toTheEnd: true)
        keeper.end(key)
      }
    }
  }

  /// Adds a line of the host about a worker, or to its own log.
  nonisolated func note(
    log: String, generation: UInt64, level: LogRecord.Level = .notice, _ text: String
  ) {
    inOrder { $0.add(log: log, generation: generation, level: level, text) }
  }

  private func add(log: String, generation: UInt64, level: LogRecord.Level, _ text: String) {
    var splitter = LineSplitter()
    let lines = splitter.add(Array(text.utf8)) + splitter.finish()
    let now = WallClock.milliseconds
    keep(
      log,
      lines.map {
        LogRecord(
          atMilliseconds: now, worker: log, generation: generation, stream: .host, level: level,
          text: $0)
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

  /// What is asked for one after the other is done one after the other.
  private nonisolated func inOrder(_ change: @escaping @Sendable (isolated LogKeeper) -> Void) {
    reactor.perform { self.assumeIsolated(change) }
  }

  private func begin(_ incarnation: Incarnation, stdout: Descriptor, stderr: Descriptor) {
    // Of a worker's earlier processes only the last one's words are asked for.
    lastLines = lastLines.filter {
      $0.key.worker != incarnation.worker || $0.key.generation + 1 >= incarnation.generation
    }
    lastLines[incarnation] = []
    outOfMemory = outOfMemory.filter { lastLines[$0] != nil }
    for (stream, descriptor) in [(LogRecord.Stream.stdout, stdout), (.stderr, stderr)] {
      let key = nextSource
      nextSource += 1
      do throws(SystemError) {
        try descriptor.setNonBlocking()
        let watch = try reactor.watch(descriptor) { [weak self] in
          self?.assumeIsolated { $0.pump(key) }
        }
        sources[key] = Source(
          incarnation: incarnation, stream: stream, descriptor: descriptor, watch: watch)
      } catch {
        write(
          incarnation.worker, incarnation.generation, .host,
          ["its \(stream.rawValue) is not logged: \(error)"])
      }
    }
  }

  private func pump(_ key: UInt64, toTheEnd: Bool = false) {
    while let source = sources[key] {
      switch try? source.descriptor.read(atMost: 64 << 10) {
      case .bytes(let bytes)?:
        let lines = sources[key]?.splitter.add(bytes) ?? []
        write(
          source.incarnation.worker, source.incarnation.generation, source.stream, lines)
        // One read at a time, so that a worker that writes without end lets others have their turn.
        if !toTheEnd { return }
      case .wouldBlock?: return
      case .end?, nil: return end(key)
      }
    }
  }

  private func end(_ key: UInt64) {
    guard var source = sources.removeValue(forKey: key) else { return }
    reactor.ignore(source.watch)
    write(
      source.incarnation.worker, source.incarnation.generation, source.stream,
      source.splitter.finish())
  }

  private func write(
    _ log: String, _ generation: UInt64, _ stream: LogRecord.Stream, _ lines: [String]
  ) {
    guard !lines.isEmpty else { return }
    let now = WallClock.milliseconds
    let records = lines.map {
      LogRecord(written: $0, at: now, by: log, generation: generation, on: stream)
    }
    if stream == .stderr {
      let incarnation = Incarnation(worker: log, generation: generation)
      let all = (lastLines[incarnation] ?? []) + records.suffix(Self.rememberedLines).map(\.line)
      lastLines[incarnation] = Array(all.suffix(Self.rememberedLines))
      // What the Swift runtime says when it ends a process for want of memory.
      if lines.contains(where: { $0.hasPrefix("Fatal error: failed to allocate ") }) {
        outOfMemory.insert(incarnation)
      }
    }
    keep(log, records)
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
    for (key, source) in sources where source.incarnation == incarnation { pump(key) }
    return lastLines[incarnation] ?? []
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

import Glibc
import KithManifest
import KithSupervision

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
  nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

  private var files: [String: RotatedFile] = [:]
  private var sources: [UInt64: Source] = [:]
  private var nextSource: UInt64 = 1
  private var lastLines: [Incarnation: [String]] = [:]
  private var readers: [(log: String, waiter: Waiter<Void>)] = []
  private var isClosing = false

  /// Opens the logs of these workers and the host's own.
  init(
    reactor: Reactor, places: ProductPlaces, workers: [String],
    limits: RotatedFile.Limits = RotatedFile.Limits()
  ) throws(SystemError) {
    self.reactor = reactor
    for name in workers + [Self.hostName] {
      files[name] = try RotatedFile(path: places.logFile(worker: name), limits: limits)
    }
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
  nonisolated func note(log: String, generation: UInt64, _ text: String) {
    inOrder { keeper in
      var splitter = LineSplitter()
      let lines = splitter.add(Array(text.utf8)) + splitter.finish()
      keeper.write(log, generation, .host, lines)
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
    files[log]?.append(
      lines.map {
        LogRecord(atMilliseconds: now, generation: generation, stream: stream, text: $0)
      })
    if stream == .stderr {
      let incarnation = Incarnation(worker: log, generation: generation)
      let all = (lastLines[incarnation] ?? []) + lines
      lastLines[incarnation] = Array(all.suffix(Self.rememberedLines))
    }
    for reader in readers where reader.log == log { reader.waiter.finish(.success(())) }
    readers.removeAll { $0.waiter.isFinished }
  }

  // MARK: Reading

  /// The last lines that a process wrote to its standard error, oldest first.
  func lastErrorLines(of incarnation: Incarnation) -> [String] {
    for (key, source) in sources where source.incarnation == incarnation { pump(key) }
    return lastLines[incarnation] ?? []
  }

  /// Lines from a position on, or the last ones; nil when there is no such log.
  func read(
    log: String, from position: UInt64?, lastLines: Int, limit: Int
  ) throws(SystemError) -> (records: [LogRecord], next: UInt64)? {
    guard let file = files[log] else { return nil }
    if let position { return try file.read(from: position, limit: limit) }
    return try file.read(from: try file.position(ofLast: lastLines), limit: limit)
  }

  /// Waits until a log has something behind a position; false when nothing more will come because the host ends.
  func waitForLines(log: String, after position: UInt64) async throws -> Bool {
    guard let file = files[log], file.end <= position else { return true }
    guard !isClosing else { return false }
    let waiter = Waiter<Void>()
    readers.removeAll { $0.waiter.isFinished }
    readers.append((log, waiter))
    try await waiter.value()
    return !isClosing
  }

  /// Returns when everything that was asked for before has been written.
  func flush() {}
}

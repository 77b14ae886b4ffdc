import Glibc
import KithSupervision

/// The way of workers' output from its spools into the logs.
///
/// One piece at a time is scrubbed, on a thread of its own, and the workers take turns: those that
/// ended first, whose last words somebody may wait for, then whoever was served least recently and
/// has something left of its budget. What has to wait stays in its spool; more than may wait there
/// is dropped, oldest first, and the log and the status say how much.
extension LogKeeper {
  /// One stream of a process.
  struct Source {
    let incarnation: Incarnation
    let stream: LogRecord.Stream
    var spool: OutputSpool
    var splitter = LineSplitter()
    /// Behind which nothing is taken, once the process has ended; nil while it runs.
    var end: UInt64?

    /// How many bytes wait to be read.
    var waiting: UInt64 { spool.waiting(before: min(end ?? .max, spool.size)) }
  }

  /// What is known of workers' output.
  struct Output {
    /// What is read, by the names of the files.
    var sources: [String: Source] = [:]
    /// How much of the processes' output stands in the logs.
    var taken: [Incarnation: LogRecord.Taken] = [:]
    var lastWords: [Incarnation: LastWords] = [:]
    /// Processes that said that they were refused memory.
    var outOfMemory: Set<Incarnation> = []
    /// Sources with something to be read, in the order in which that was noticed.
    var turns: [String] = []
    /// What is being scrubbed.
    var inProgress: Incarnation?
    /// Whether the host ends as soon as the last words have been taken.
    var isLast = false
    var budgets: [String: ScrubbingBudget] = [:]
    /// At which turn each worker was served last.
    var served: [String: UInt64] = [:]
    var turn: UInt64 = 0
    /// What was dropped of each worker's output since the host started.
    var dropped: [String: OutputSpool.Dropped] = [:]
    /// Lines of the host that come behind the last words of a process that has ended.
    var notes: [String: [LogRecord]] = [:]
    /// Who waits until so much of a process's output has been taken.
    var waiters: [(incarnation: Incarnation, ends: [String: UInt64], waiter: Waiter<Void>)] = []

    /// The names of all sources; errors last, so that what a process complains of comes behind what
    /// it had to say.
    var names: [String] { sources.keys.sorted(by: >) }

    /// The processes that have ended and whose output has not all been taken.
    var ending: Set<Incarnation> {
      Set(sources.values.filter { $0.end != nil }.map(\.incarnation))
    }

    func isEnding(_ worker: String) -> Bool {
      sources.values.contains { $0.end != nil && $0.incarnation.worker == worker }
    }

    /// Whether all has been taken that somebody waits for.
    func isSettled(_ incarnation: Incarnation, _ ends: [String: UInt64]) -> Bool {
      inProgress != incarnation
        && ends.allSatisfy { name, end in
          guard let source = sources[name] else { return true }
          return source.end == nil && source.spool.position >= min(end, source.spool.size)
        }
    }
  }

  // MARK: Beginning and end

  func begin(
    _ incarnation: Incarnation, from taken: LogRecord.Taken, lastWords words: LastWords
  ) {
    // Of a worker's earlier processes only the last one's words are asked for.
    let last = output.lastWords.keys.filter { $0.worker == incarnation.worker }
      .map(\.generation).max()
    output.lastWords = output.lastWords.filter {
      $0.key.worker != incarnation.worker || $0.key.generation == last
    }
    output.lastWords[incarnation] = words
    output.outOfMemory = output.outOfMemory.filter { output.lastWords[$0] != nil }
    output.taken[incarnation] = taken
    for stream in [LogRecord.Stream.stdout, .stderr] {
      let name = OutputSpool.name(of: incarnation, stream)
      do throws(SystemError) {
        let spool = try OutputSpool(path: "\(folder)/\(name)", from: taken[stream])
        output.sources[name] = Source(incarnation: incarnation, stream: stream, spool: spool)
        spoolChanged(name)
      } catch {
        add(
          log: incarnation.worker, generation: incarnation.generation, level: .error,
          "its \(stream.rawValue) is not logged: \(error)")
      }
    }
    nextTurn()
  }

  /// How much of a process's output an earlier host has written to the log, and the last lines of
  /// its standard error.
  func whatIsLogged(of incarnation: Incarnation) -> (LogRecord.Taken, LastWords) {
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
      // Two generations may run at once, so lines of the one before tell nothing; those of older
      // ones say that none follow.
      let isOlder = oldest.map { $0 < incarnation.generation && incarnation.generation - $0 > 1 }
      guard taken == nil, begin > file.begin, isOlder != true else {
        return (taken ?? LogRecord.Taken(), words)
      }
      count *= 20
    }
  }

  func end(_ incarnation: Incarnation) {
    for stream in [LogRecord.Stream.stdout, .stderr] {
      let name = OutputSpool.name(of: incarnation, stream)
      guard let source = output.sources[name] else { continue }
      output.sources[name]?.end = source.spool.size
      if !output.turns.contains(name) { output.turns.append(name) }
    }
    nextTurn()
  }

  private func close(_ source: Source, _ name: String) {
    output.sources[name] = nil
    output.turns.removeAll { $0 == name }
    unlink(source.spool.path)
    guard !output.sources.values.contains(where: { $0.incarnation == source.incarnation }) else {
      return
    }
    output.taken[source.incarnation] = nil
    let worker = source.incarnation.worker
    guard !output.isEnding(worker) else { return }
    if !output.sources.values.contains(where: { $0.incarnation.worker == worker }) {
      output.served[worker] = nil
    }
    if let notes = output.notes.removeValue(forKey: worker) {
      keep(worker, notes.map(LogRecord.Encoded.init))
    }
  }

  // MARK: Turns

  /// Takes note that a process may have written something.
  func spoolChanged(_ name: String) {
    guard let source = output.sources[name], source.end == nil, source.waiting > 0 else { return }
    if !output.turns.contains(name) { output.turns.append(name) }
    bound(name)
  }

  /// Has the next piece of output scrubbed, unless one is being, or nobody may have a turn now.
  func nextTurn() {
    while output.inProgress == nil {
      let now = ContinuousClock.now
      guard let name = choice(at: now) else {
        let next = output.turns.compactMap {
          output.sources[$0].flatMap { budget(of: $0, at: now) }
        }
        .map(\.opensAt).min()
        // A log that cannot be written has an alarm of its own.
        reactor.setAlarm(for: scrubber, at: next.map { max($0, now + .milliseconds(1)) }) {
          [weak self] in
          self?.assumeIsolated { $0.nextTurn() }
        }
        return
      }
      output.turns.removeAll { $0 == name }
      bound(name)
      // Others have their turn before the rest is dropped.
      guard !isOverBound(name) else {
        output.turns.append(name)
        return
      }
      take(name)
    }
  }

  private func budget(of source: Source, at now: ContinuousClock.Instant) -> ScrubbingBudget? {
    // What waits for the file waits for no budget.
    guard files[source.incarnation.worker]?.trouble == nil else { return nil }
    return output.budgets[source.incarnation.worker] ?? ScrubbingBudget(bounds.budget, at: now)
  }

  /// Whose turn it is.
  private func choice(at now: ContinuousClock.Instant) -> String? {
    func isFree(_ name: String) -> Bool {
      guard let source = output.sources[name] else { return true }
      if source.end != nil {
        // Errors last: what a process complains of when it ends comes behind what it had to say.
        let sibling = OutputSpool.name(of: source.incarnation, .stdout)
        return source.stream == .stdout || output.sources[sibling] == nil
      }
      return budget(of: source, at: now).map { $0.opensAt <= now } ?? false
    }
    func rank(_ name: String) -> (Int, UInt64) {
      guard let source = output.sources[name] else { return (0, 0) }
      return (source.end == nil ? 1 : 0, output.served[source.incarnation.worker] ?? 0)
    }
    return output.turns.filter(isFree).min { rank($0) < rank($1) }
  }

  /// Reads the next piece of a source and has it scrubbed.
  private func take(_ name: String) {
    guard var source = output.sources[name] else { return }
    let incarnation = source.incarnation
    let piece: (missing: UInt64, bytes: [UInt8]) =
      (try? source.spool.read(atMost: bounds.portion, before: source.end ?? .max)) ?? (0, [])
    output.sources[name] = source
    if piece.missing > 0 {
      say(OutputSpool.Dropped(lines: 0, bytes: piece.missing), of: name)
      guard let said = output.sources[name] else { return }
      source = said
    }
    let isLast = source.end.map { source.spool.position >= $0 || piece.bytes.isEmpty } ?? false
    guard !piece.bytes.isEmpty || isLast else { return }
    output.turn += 1
    output.served[incarnation.worker] = output.turn
    output.inProgress = incarnation
    let task = ScrubbingTask(
      incarnation: incarnation, stream: source.stream, bytes: piece.bytes, isLast: isLast,
      readAt: WallClock.milliseconds, splitter: source.splitter,
      taken: output.taken[incarnation] ?? LogRecord.Taken(),
      lastWords: output.lastWords[incarnation] ?? LastWords())
    scrubber.perform {
      let outcome = task.run()
      self.inOrder { $0.taken(outcome, of: task, from: name) }
    }
  }

  /// Writes what was scrubbed.
  private func taken(_ outcome: ScrubbingTask.Outcome, of task: ScrubbingTask, from name: String) {
    output.inProgress = nil
    let incarnation = task.incarnation
    let now = ContinuousClock.now
    var budget = output.budgets[incarnation.worker] ?? ScrubbingBudget(bounds.budget, at: now)
    budget.charge(bytes: task.bytes.count, time: outcome.time, at: now)
    output.budgets[incarnation.worker] = budget
    output.sources[name]?.splitter = outcome.splitter
    output.taken[incarnation] = outcome.taken
    if task.stream == .stderr, output.lastWords[incarnation] != nil {
      output.lastWords[incarnation] = outcome.lastWords
      if outcome.saysOutOfMemory { output.outOfMemory.insert(incarnation) }
    }
    keep(incarnation.worker, outcome.records)
    if let source = output.sources[name] {
      if task.isLast {
        close(source, name)
      } else {
        giveBack(name)
        if source.end != nil, !output.turns.contains(name) { output.turns.append(name) }
      }
    }
    // Both streams: neither could be bounded while this was under way.
    for stream in [LogRecord.Stream.stdout, .stderr] {
      spoolChanged(OutputSpool.name(of: incarnation, stream))
    }
    for waiter in output.waiters where output.isSettled(waiter.incarnation, waiter.ends) {
      waiter.waiter.finish(.success(()))
    }
    output.waiters.removeAll { $0.waiter.isFinished }
    nextTurn()
  }

  /// What stands in the log need not be kept anywhere else.
  private func giveBack(_ name: String) {
    guard let source = output.sources[name], files[source.incarnation.worker]?.waiting == 0 else {
      return
    }
    let taken = output.taken[source.incarnation]?[source.stream] ?? 0
    output.sources[name]?.spool.giveBack(upTo: taken, atLeast: bounds.givenBack)
  }

  // MARK: Bounds

  /// Drops what is more than may wait, down to half of that, so that what is kept hangs together.
  private func bound(_ name: String) {
    guard let source = output.sources[name], isOverBound(name),
      output.inProgress != source.incarnation
    else { return }
    let end = min(source.end ?? .max, source.spool.size)
    let kept = source.end == nil ? bounds.backlog / 2 : limit(of: source)
    if let dropped = output.sources[name]?.spool.drop(leaving: kept, before: end) {
      say(dropped, of: name)
    }
    // There may be more than is dropped at once.
    inOrder { keeper in
      keeper.bound(name)
      keeper.nextTurn()
    }
  }

  private func isOverBound(_ name: String) -> Bool {
    output.sources[name].map { $0.waiting > limit(of: $0) } ?? false
  }

  /// How many bytes of a source may wait.
  private func limit(of source: Source) -> UInt64 {
    guard source.end != nil else { return bounds.backlog }
    return output.isLast ? min(bounds.rest, bounds.restAtTheEnd) : bounds.rest
  }

  /// Has the log and the status say what was dropped of a source, whose position is behind it.
  private func say(_ dropped: OutputSpool.Dropped, of name: String) {
    guard var source = output.sources[name] else { return }
    var dropped = dropped
    // The beginning of a line of which the rest is gone.
    dropped.bytes += UInt64(source.splitter.discard())
    output.sources[name] = source
    let incarnation = source.incarnation
    output.taken[incarnation, default: LogRecord.Taken()][source.stream] = source.spool.position
    output.dropped[incarnation.worker, default: OutputSpool.Dropped()] += dropped
    var record = LogRecord(
      atMilliseconds: WallClock.milliseconds, worker: incarnation.worker,
      generation: incarnation.generation, stream: .host, level: .error,
      text:
        "dropped \(dropped.lines) lines (\(dropped.bytes) bytes) of its \(source.stream.rawValue): "
        + "it wrote faster than its log is kept")
    record.taken = output.taken[incarnation]
    keep(incarnation.worker, [LogRecord.Encoded(record)])
  }

  // MARK: Questions

  /// The last lines that a process wrote to its standard error, oldest first.
  func lastErrorLines(of incarnation: Incarnation) async -> [String] {
    await settle(incarnation)
    return output.lastWords[incarnation]?.lines ?? []
  }

  /// Whether the last words of a process, which has ended, were that it was refused memory.
  func saidOutOfMemory(_ incarnation: Incarnation) async -> Bool {
    await settle(incarnation)
    return output.outOfMemory.contains(incarnation)
  }

  /// Returns when what a process has written so far stands in its log, or was dropped.
  func settle(_ incarnation: Incarnation) async {
    var ends: [String: UInt64] = [:]
    for (name, source) in output.sources where source.incarnation == incarnation {
      ends[name] = source.spool.size
      // Its writing may not have been told yet.
      spoolChanged(name)
    }
    nextTurn()
    guard !output.isSettled(incarnation, ends) else { return }
    let waiter = Waiter<Void>()
    output.waiters.append((incarnation, ends, waiter))
    // Given up only with the task that waits.
    try? await waiter.value()
  }
}

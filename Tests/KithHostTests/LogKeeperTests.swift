import Glibc
import KithManifest
import KithSupervision
import Testing

@testable import KithHost

@Suite struct LogKeeperTests {
  let folder: TemporaryFolder
  let reactor: Reactor
  let scrubber: Reactor
  let logs: LogKeeper

  init() throws {
    folder = try TemporaryFolder()
    reactor = try Reactor(name: "test")
    scrubber = try Reactor(name: "test-scrub")
    let places = try ProductPlaces(product: "test", root: folder.path + "/r", environment: [:])
    try DurableFile.createPrivateFolder(places.stateDirectory)
    try DurableFile.createPrivateFolder(places.logsDirectory)
    try DurableFile.createPrivateFolder(places.runtimeDirectory)
    try DurableFile.createPrivateFolder(places.hostDirectory)
    logs = try LogKeeper(
      reactor: reactor, scrubber: scrubber, places: places, workers: ["a", "b"])
  }

  /// Ends the threads, and with them what they hold.
  private func stop() {
    reactor.stop()
    scrubber.stop()
  }

  /// A keeper of the same files, as a host that follows has one.
  private func keeper(
    _ limits: RotatedFile.Limits = RotatedFile.Limits(),
    bounds: LogKeeper.Bounds = LogKeeper.Bounds()
  ) throws -> LogKeeper {
    try LogKeeper(
      reactor: reactor, scrubber: scrubber,
      places: try ProductPlaces(product: "test", root: folder.path + "/r", environment: [:]),
      workers: ["a", "b"], limits: limits, bounds: bounds)
  }

  /// All lines of a log.
  private func lines(of log: String, _ logs: LogKeeper) async throws -> [LogRecord] {
    var seen: [LogRecord] = []
    var cursor: LogKeeper.Cursor = [log: 0]
    while true {
      let page = try await logs.read(from: cursor, minimumLevel: .trace, limit: 1000)
      seen += page.records
      cursor = page.next
      if page.isAtEnd { return seen }
    }
  }

  /// Has a worker write lines at these moments, as the SDK does.
  private func write(_ worker: String, _ lines: [(at: Int, level: String)]) throws {
    let incarnation = Incarnation(worker: worker, generation: 1)
    let spools = try spools(of: incarnation)
    logs.capture(incarnation)
    for (at, level) in lines {
      let line = #"{"at_ms":\#(at),"level":"\#(level)","text":"\#(worker)\#(at)"}"# + "\n"
      try spools.stderr.writeAll(Array(line.utf8), to: "a spool")
    }
    logs.finish(incarnation)
  }

  /// What a process would get as its standard output and error.
  private func spools(
    of incarnation: Incarnation
  ) throws -> (stdout: Descriptor, stderr: Descriptor) {
    let run = folder.path + "/r/run/host"
    return (
      try OutputSpool.create(OutputSpool.path(of: incarnation, .stdout, in: run)),
      try OutputSpool.create(OutputSpool.path(of: incarnation, .stderr, in: run))
    )
  }

  @Test func severalLogsAreMergedByTime() async throws {
    defer { stop() }
    try write("a", (0..<50).map { ($0 * 4, "info") })
    try write("b", (0..<50).map { ($0 * 6 + 1, "info") })
    await logs.flush()
    var cursor: LogKeeper.Cursor = ["a": 0, "b": 0]
    var seen: [LogRecord] = []
    var isAtEnd = false
    while !isAtEnd {
      let page = try await logs.read(from: cursor, minimumLevel: .trace, limit: 7)
      #expect(page.records.count <= 7)
      seen += page.records
      cursor = page.next
      isAtEnd = page.isAtEnd
    }
    #expect(seen.count == 100)
    #expect(seen.map(\.atMilliseconds) == seen.map(\.atMilliseconds).sorted())
    let last = try await logs.cursor(of: ["a", "b"], lastLines: 2, minimumLevel: .trace)
    let found = try await logs.read(from: last, minimumLevel: .trace, limit: 100)
    #expect(found.records.map(\.text) == ["a192", "a196", "b289", "b295"])
  }

  @Test func lateLinesOfOneLogWaitForEarlyOnesBehindALargePageOfAnother() async throws {
    defer { stop() }
    let places = try ProductPlaces(product: "test", root: folder.path + "/r", environment: [:])
    func record(_ log: String, _ at: Int64, _ level: LogRecord.Level, _ text: String) -> LogRecord {
      LogRecord(
        atMilliseconds: at, worker: log, generation: 1, stream: .host, level: level, text: text)
    }
    // More than is read of a file at once, none of which is of the level.
    let silent = String(repeating: "x", count: 16 << 10)
    var early = try RotatedFile(path: places.logFile(worker: "a"))
    early.append((0..<300).map { record("a", $0, .debug, silent) })
    early.append([record("a", 1_000, .warning, "early")])
    var late = try RotatedFile(path: places.logFile(worker: "b"))
    late.append([record("b", 2_000, .warning, "late")])
    let logs = try keeper()
    var cursor: LogKeeper.Cursor = ["a": 0, "b": 0]
    var seen: [String] = []
    var isAtEnd = false
    while !isAtEnd {
      let page = try await logs.read(from: cursor, minimumLevel: .warning, limit: 10)
      seen += page.records.map(\.text)
      cursor = page.next
      isAtEnd = page.isAtEnd
    }
    #expect(seen == ["early", "late"])
  }

  @Test func linesBelowTheLevelAreLeftOut() async throws {
    defer { stop() }
    try write("a", (0..<3000).map { ($0, $0 % 1000 == 999 ? "error" : "debug") })
    await logs.flush()
    let all = try await logs.read(from: ["a": 0], minimumLevel: .error, limit: 1000)
    #expect(all.records.map(\.text) == ["a999", "a1999", "a2999"] && all.isAtEnd)
    let last = try await logs.cursor(of: ["a"], lastLines: 1, minimumLevel: .warning)
    let found = try await logs.read(from: last, minimumLevel: .warning, limit: 1000)
    #expect(found.records.map(\.text) == ["a2999"])
  }

  @Test func whoWaitsIsWokenByAnyOfSeveralLogs() async throws {
    defer { stop() }
    let logs = logs
    let start = try await logs.cursor(of: ["a", "b"], lastLines: 0, minimumLevel: .trace)
    async let woken = logs.waitForLines(after: start)
    try write("b", [(1, "info")])
    #expect(try await woken)
    logs.releaseReaders()
    await logs.flush()
    let end = try await logs.cursor(of: ["a", "b"], lastLines: 0, minimumLevel: .trace)
    #expect(try await !logs.waitForLines(after: end))
  }

  @Test func aLogThatCannotBeWrittenIsToldAndCatchesUp() async throws {
    defer { stop() }
    let places = try ProductPlaces(product: "test", root: folder.path + "/r", environment: [:])
    let logs = try keeper(RotatedFile.Limits(fileBytes: 1000, files: 50))
    // What is in the way of the next file is in the way of the log.
    let obstacle = places.logFile(worker: "a") + ".next"
    mkdir(obstacle, 0o700)
    for number in 0..<50 { logs.note(log: "a", generation: 1, "line \(number)") }
    await logs.flush()
    let trouble = try #require(logs.troubles.first)
    #expect(trouble.log == "a" && trouble.linesLost == 0 && trouble.linesWaiting > 30)
    #expect(trouble.reason.contains("a.log.next"), "\(trouble.reason)")
    rmdir(obstacle)
    // It is tried again without anybody asking for it.
    let start = try await logs.cursor(of: ["kithd"], lastLines: 10, minimumLevel: .trace)
    var said: [String] = []
    var cursor = start
    while !said.contains(where: { $0.hasPrefix("the log of a can be written again") }) {
      try Task.checkCancellation()
      let page = try await logs.read(from: cursor, minimumLevel: .trace, limit: 100)
      said += page.records.map(\.text)
      cursor = page.next
      if page.records.isEmpty { _ = try await logs.waitForLines(after: cursor) }
    }
    #expect(said.first?.hasPrefix("the log of a cannot be written") == true)
    #expect(logs.troubles == [])
    let all = try await logs.read(from: ["a": 0], minimumLevel: .trace, limit: 100)
    #expect(all.records.map(\.text) == (0..<50).map { "line \($0)" })
  }

  /// A host that dies takes its keeper along; the next one reads on where the log ends.
  @Test func whatIsWrittenAcrossTheDeathOfAHostStandsInTheLogOnce() async throws {
    defer { stop() }
    let places = try ProductPlaces(product: "test", root: folder.path + "/r", environment: [:])
    let incarnation = Incarnation(worker: "a", generation: 3)
    let spools = try spools(of: incarnation)
    let limits = RotatedFile.Limits(fileBytes: 20_000, files: 100)
    for life in 0..<10 {
      weak let thread = try await live {
        logs in
        logs.resume(incarnation)
        for line in life * 50..<life * 50 + 40 {
          try spools.stdout.writeAll(Array("out \(line)\n".utf8), to: "a spool")
          // The end of a line comes with the next.
          try spools.stderr.writeAll(Array("\nerr \(line)".utf8), to: "a spool")
        }
        // As soon as this is answered nothing is left to be read.
        _ = await logs.lastErrorLines(of: incarnation)
      }
      let end = ContinuousClock.now + .seconds(60)
      while thread != nil {
        try #require(.now < end, "something holds the keeper of a host that has ended")
        try await Task.sleep(for: .milliseconds(1))
      }
      if life % 3 != 0 {
        // As if the host had been killed while it wrote: the last record is cut short.
        let path = places.logFile(worker: "a")
        var status = stat()
        try #require(stat(path, &status) == 0)
        try #require(truncate(path, status.st_size - off_t(life)) == 0)
      }
      // And this while there is no host.
      for line in life * 50 + 40..<life * 50 + 50 {
        try spools.stdout.writeAll(Array("out \(line)\n".utf8), to: "a spool")
        try spools.stderr.writeAll(Array("\nerr \(line)".utf8), to: "a spool")
      }
    }
    let last = try keeper(limits)
    last.resume(incarnation)
    last.finish(incarnation)
    await last.settle(incarnation)
    var seen: [String] = []
    var cursor: LogKeeper.Cursor = ["a": 0]
    while case let page = try await last.read(from: cursor, minimumLevel: .trace, limit: 1000),
      !page.records.isEmpty
    {
      seen += page.records.map(\.text)
      cursor = page.next
    }
    #expect(seen.filter { $0.hasPrefix("out") } == (0..<500).map { "out \($0)" })
    #expect(seen.filter { $0.hasPrefix("err") } == (0..<500).map { "err \($0)" })
    #expect(TemporaryFolder.names(places.hostDirectory) == [])
  }

  /// Runs a keeper of its own; its thread.
  private func live(_ body: (LogKeeper) async throws -> Void) async throws -> Reactor {
    let reactor = try Reactor(name: "life")
    let scrubber = try Reactor(name: "life-scrub")
    defer {
      reactor.stop()
      scrubber.stop()
    }
    try await body(
      LogKeeper(
        reactor: reactor, scrubber: scrubber,
        places: try ProductPlaces(product: "test", root: folder.path + "/r", environment: [:]),
        workers: ["a"], limits: RotatedFile.Limits(fileBytes: 20_000, files: 100)))
    return reactor
  }

  @Test func whatStandsInTheLogIsFoundBehindTheLinesOfTheProcessBefore() async throws {
    defer { stop() }
    let (earlier, later) = (
      Incarnation(worker: "a", generation: 1), Incarnation(worker: "a", generation: 2)
    )
    let before = try spools(of: earlier)
    let after = try spools(of: later)
    logs.capture(later)
    logs.capture(earlier)
    try after.stdout.writeAll(Array("once\n".utf8), to: "a spool")
    await logs.settle(later)
    // The one before is still on its way out, and has much to say.
    try before.stdout.writeAll(numbered(0..<1000), to: "a spool")
    await logs.settle(earlier)
    let next = try keeper()
    next.resume(later)
    await next.settle(later)
    #expect(try await lines(of: "a", next).count { $0.text == "once" } == 1)
  }

  @Test func theLastTenLinesAreRememberedUpToTheVerdictOfTheRuntime() {
    var words = LastWords()
    words.add((0..<12).map { "line \($0)" })
    #expect(words.lines == (2..<12).map { "line \($0)" })
    words.add(["*** Signal 11: Backtracing", "frame 0", "frame 1"])
    #expect(words.lines == (3..<12).map { "line \($0)" } + ["*** Signal 11: Backtracing"])
  }

  @Test func aSpoolHoldsNoMoreThanIsNotYetLogged() async throws {
    defer { stop() }
    let incarnation = Incarnation(worker: "a", generation: 1)
    let spools = try spools(of: incarnation)
    logs.capture(incarnation)
    let line = Array((String(repeating: "x", count: 99) + "\n").utf8)
    for _ in 0..<100 {
      for _ in 0..<200 { try spools.stdout.writeAll(line, to: "a spool") }
      _ = await logs.lastErrorLines(of: incarnation)
    }
    var status = stat()
    #expect(fstat(spools.stdout.number, &status) == 0)
    #expect(status.st_size == 2_000_000)
    #expect(status.st_blocks * 512 < 600_000, "\(status.st_blocks)")
  }

  // MARK: Floods

  /// So many numbered lines of 100 bytes.
  private func numbered(_ numbers: Range<Int>) -> [UInt8] {
    numbers.reduce(into: []) { bytes, number in
      let line = "\(number) "
      bytes += Array(line.utf8) + [UInt8](repeating: 0x78, count: 99 - line.utf8.count) + [0x0A]
    }
  }

  /// The numbers of the lines that stand in a log.
  private func numbers(_ lines: [LogRecord]) -> [Int] {
    lines.filter { $0.stream != .host }.compactMap {
      Int($0.text.split(separator: " ").first ?? "")
    }
  }

  /// How many lines of a log were read before another one was. Has all of a beginning stand before
  /// the first turn of the scrubber, so that turns are what is seen and not who came first.
  private func atOnce(_ logs: LogKeeper, _ begin: () -> Void) async throws {
    let (held, release) = try Descriptor.pipe()
    scrubber.perform { _ = try? held.read(atMost: 1) }
    begin()
    _ = try await logs.cursor(of: ["a"], lastLines: 1, minimumLevel: .trace)
    try release.writeAll([1], to: "a pipe")
  }

  private func takenBefore(_ line: LogRecord, of log: String, _ logs: LogKeeper) async throws -> Int
  {
    try await lines(of: log, logs).count { $0.atMilliseconds < line.atMilliseconds }
  }

  @Test func whatIsMoreThanMayWaitIsDroppedOldestFirstAndCountedInTheLogAndTheStatus() async throws
  {
    defer { stop() }
    let logs = try keeper(bounds: LogKeeper.Bounds(backlog: 20_000, portion: 1000))
    let incarnation = Incarnation(worker: "a", generation: 1)
    let spools = try spools(of: incarnation)
    try spools.stderr.writeAll(numbered(0..<1000), to: "a spool")
    logs.capture(incarnation)
    await logs.settle(incarnation)
    let lines = try await lines(of: "a", logs)
    // Half of what may wait is left, in whole lines.
    #expect(numbers(lines) == Array(900..<1000))
    #expect(
      lines.first?.text
        == "dropped 900 lines (90000 bytes) of its stderr: it wrote faster than its log is kept")
    #expect(lines.first?.stream == .host && lines.first?.level == .error)
    let trouble = try #require(logs.troubles.first)
    #expect(trouble.log == "a" && trouble.reason.isEmpty && trouble.linesLost == 0)
    #expect(trouble.dropped == OutputSpool.Dropped(lines: 900, bytes: 90_000))
    #expect(logs.troubles.count == 1)
  }

  @Test func whatMayJustWaitIsNotDropped() async throws {
    defer { stop() }
    let logs = try keeper(bounds: LogKeeper.Bounds(backlog: 20_000, portion: 1000))
    let incarnation = Incarnation(worker: "a", generation: 1)
    let spools = try spools(of: incarnation)
    try spools.stdout.writeAll(numbered(0..<200), to: "a spool")
    logs.capture(incarnation)
    await logs.settle(incarnation)
    #expect(numbers(try await lines(of: "a", logs)) == Array(0..<200))
    #expect(logs.troubles == [])
  }

  @Test func aLineWhoseEndWasDroppedIsDroppedToo() async throws {
    defer { stop() }
    let logs = try keeper(bounds: LogKeeper.Bounds(backlog: 1000))
    let incarnation = Incarnation(worker: "a", generation: 1)
    let spools = try spools(of: incarnation)
    logs.capture(incarnation)
    try spools.stdout.writeAll(Array("begun, ".utf8), to: "a spool")
    await logs.settle(incarnation)
    // One write, so that it is over the bound as soon as it can be seen.
    try spools.stdout.writeAll(
      Array("and ended\n".utf8) + numbered(0..<100), to: "a spool")
    await logs.settle(incarnation)
    let lines = try await lines(of: "a", logs)
    #expect(numbers(lines) == Array(95..<100))
    // The bytes of the begun line were read before, and are counted.
    #expect(lines.first?.text.hasPrefix("dropped 96 lines (9517 bytes) of its stdout") == true)
    #expect(!lines.contains { $0.text.contains("ended") || $0.text.contains("begun") })
  }

  @Test func nothingIsDroppedOfAProcessWhileAPieceBeforeItIsOnItsWay() async throws {
    defer { stop() }
    let logs = try keeper(bounds: LogKeeper.Bounds(backlog: 20_000, portion: 1000))
    let incarnation = Incarnation(worker: "a", generation: 1)
    let spools = try spools(of: incarnation)
    try spools.stdout.writeAll(numbered(0..<10), to: "a spool")
    let (held, release) = try Descriptor.pipe()
    scrubber.perform { _ = try? held.read(atMost: 1) }
    logs.capture(incarnation)
    _ = try await logs.cursor(of: ["a"], lastLines: 1, minimumLevel: .trace)
    // The first ten lines are held on their way; what is over the bound comes meanwhile.
    try spools.stdout.writeAll(numbered(10..<1000), to: "a spool")
    async let settled: Void = logs.settle(incarnation)
    _ = try await logs.cursor(of: ["a"], lastLines: 1, minimumLevel: .trace)
    try release.writeAll([1], to: "a pipe")
    await settled
    let lines = try await lines(of: "a", logs)
    #expect(numbers(lines).prefix(10) == Array(0..<10)[...])
    #expect(lines.firstIndex { $0.stream == .host } == 10)
    // Each line says how much stands in the log with it, the dropped ones too.
    let taken = lines.compactMap { $0.taken?.stdout }
    #expect(taken == taken.sorted() && taken.last == 100_000, "\(taken)")
  }

  @Test func aFloodDelaysNoOther() async throws {
    defer { stop() }
    let logs = try keeper(bounds: LogKeeper.Bounds(portion: 1000))
    let (flood, other) = (
      Incarnation(worker: "a", generation: 1), Incarnation(worker: "b", generation: 1)
    )
    let floods = try spools(of: flood)
    // Both streams and two turns' worth of a single one: turns are by worker, not by stream.
    try floods.stdout.writeAll(numbered(0..<5000), to: "a spool")
    try floods.stderr.writeAll(numbered(0..<5000), to: "a spool")
    let others = try spools(of: other)
    try others.stdout.writeAll(Array("here\n".utf8), to: "a spool")
    try await atOnce(logs) {
      logs.capture(flood)
      logs.capture(other)
    }
    await logs.settle(other)
    // Of some thousand turns the other one had the second or third.
    let line = try #require(try await lines(of: "b", logs).first)
    #expect(line.text == "here")
    #expect(try await takenBefore(line, of: "a", logs) < 50)
  }

  @Test func turnsAreByWorkerAndNotByStream() async throws {
    defer { stop() }
    let logs = try keeper(bounds: LogKeeper.Bounds(portion: 1000))
    let (two, one) = (
      Incarnation(worker: "a", generation: 1), Incarnation(worker: "b", generation: 1)
    )
    let twos = try spools(of: two)
    try twos.stdout.writeAll(numbered(0..<2000), to: "a spool")
    try twos.stderr.writeAll(numbered(0..<2000), to: "a spool")
    let ones = try spools(of: one)
    try ones.stdout.writeAll(numbered(0..<200), to: "a spool")
    try await atOnce(logs) {
      logs.capture(two)
      logs.capture(one)
    }
    await logs.settle(one)
    // A piece each in turn: twenty, and what was under way; not two for each of the other's.
    let last = try #require(try await lines(of: "b", logs).last)
    #expect(try await takenBefore(last, of: "a", logs) < 300)
  }

  @Test func whatIsWrittenAfterTheEndOfAProcessIsNotTaken() async throws {
    defer { stop() }
    let incarnation = Incarnation(worker: "a", generation: 1)
    let spools = try spools(of: incarnation)
    let (held, release) = try Descriptor.pipe()
    // Nothing is scrubbed before this is let go.
    scrubber.perform { _ = try? held.read(atMost: 1) }
    logs.capture(incarnation)
    try spools.stdout.writeAll(Array("before\n".utf8), to: "a spool")
    logs.finish(incarnation)
    _ = try await logs.cursor(of: ["a"], lastLines: 1, minimumLevel: .trace)
    // A descendant that got away.
    try spools.stdout.writeAll(Array("after\n".utf8), to: "a spool")
    try release.writeAll([1], to: "a pipe")
    await logs.settle(incarnation)
    #expect(try await lines(of: "a", logs).map(\.text) == ["before"])
  }

  @Test func theLastWordsOfAProcessComeBeforeTheOutputOfThoseThatRun() async throws {
    defer { stop() }
    let logs = try keeper(bounds: LogKeeper.Bounds(rest: 2000, portion: 1000))
    let (flood, ended) = (
      Incarnation(worker: "a", generation: 1), Incarnation(worker: "b", generation: 1)
    )
    let floods = try spools(of: flood)
    try floods.stdout.writeAll(numbered(0..<5000), to: "a spool")
    let spools = try spools(of: ended)
    // More than one piece of each: they do not take turns.
    try spools.stdout.writeAll(Array("first\n".utf8) + numbered(0..<15), to: "a spool")
    try spools.stderr.writeAll(
      numbered(0..<1000) + Array("Fatal error: failed to allocate 8 bytes\n".utf8)
        + Array("the very last".utf8), to: "a spool")
    try await atOnce(logs) {
      logs.capture(flood)
      logs.capture(ended)
      logs.finish(ended)
      logs.note(log: "b", generation: 1, "ended: exit code 3")
    }
    #expect(await logs.saidOutOfMemory(ended))
    #expect(await logs.lastErrorLines(of: ended).last == "the very last")
    let lines = try await lines(of: "b", logs)
    // No more than is left of it, errors last, and what the host says of its end behind all that.
    #expect(lines.first?.text == "first")
    let streams = lines.filter { $0.stream != .host }.map(\.stream)
    #expect(streams.lastIndex(of: .stdout) == 15 && streams.firstIndex(of: .stderr) == 16)
    #expect(numbers(lines).count < 35 && numbers(lines).last == 999)
    #expect(lines.suffix(2).map(\.text) == ["the very last", "ended: exit code 3"])
    let last = try #require(lines.dropLast().last)
    #expect(try await takenBefore(last, of: "a", logs) < 50)
    #expect(
      lines.contains { $0.stream == .host && $0.text.hasPrefix("dropped 9") }, "\(lines)")
  }

  @Test func aHostThatEndsTakesLessOfTheLastWords() async throws {
    defer { stop() }
    let logs = try keeper(
      bounds: LogKeeper.Bounds(rest: 50_000, restAtTheEnd: 2000, portion: 1000))
    let incarnation = Incarnation(worker: "a", generation: 1)
    let spools = try spools(of: incarnation)
    let (held, release) = try Descriptor.pipe()
    // Nothing is scrubbed before the end has begun.
    scrubber.perform { _ = try? held.read(atMost: 1) }
    try spools.stdout.writeAll(numbered(0..<400), to: "a spool")
    logs.capture(incarnation)
    logs.finish(incarnation)
    async let flushed: Void = logs.flush(isLast: true)
    for _ in 0..<60_000 where await !logs.output.isLast {
      try await Task.sleep(for: .milliseconds(1))
    }
    try release.writeAll([1], to: "a pipe")
    await flushed
    let lines = try await lines(of: "a", logs)
    // The piece that was under way, and the last ones.
    #expect(numbers(lines).count <= 40 && numbers(lines).last == 399)
    #expect(lines.contains { $0.text.hasPrefix("dropped 3") })
  }

  @Test func aWorkerThatHasUsedItsBudgetWaitsAndLosesNothing() async throws {
    defer { stop() }
    var bounds = LogKeeper.Bounds(portion: 1000)
    bounds.budget.burstBytes = 1000
    bounds.budget.bytesPerSecond = 200_000
    let logs = try keeper(bounds: bounds)
    let incarnation = Incarnation(worker: "a", generation: 1)
    let spools = try spools(of: incarnation)
    let begin = ContinuousClock.now
    try spools.stdout.writeAll(numbered(0..<1000), to: "a spool")
    logs.capture(incarnation)
    await logs.settle(incarnation)
    // 100,000 bytes, of which all but the first come at the budget's pace; the last piece is not
    // paid for by anybody.
    #expect(.now - begin >= .milliseconds(480))
    #expect(numbers(try await lines(of: "a", logs)) == Array(0..<1000))
    #expect(logs.troubles == [])
  }

  @Test func aBacklogThatAnEarlierHostLeftIsBoundedAndSaidOnce() async throws {
    defer { stop() }
    let incarnation = Incarnation(worker: "a", generation: 3)
    let spools = try spools(of: incarnation)
    let bounds = LogKeeper.Bounds(backlog: 20_000, portion: 1000)
    // While no host lives.
    try spools.stdout.writeAll(numbered(0..<1000), to: "a spool")
    for _ in 0..<2 {
      let logs = try keeper(bounds: bounds)
      logs.resume(incarnation)
      await logs.settle(incarnation)
      let lines = try await lines(of: "a", logs)
      #expect(numbers(lines) == Array(900..<1000))
      #expect(lines.count { $0.text.hasPrefix("dropped 900 lines (90000 bytes)") } == 1)
      #expect(lines.count == 101)
    }
  }

  @Test func whatAnEarlierHostGaveBackWithoutSayingSoIsMissingAndNoText() async throws {
    defer { stop() }
    let incarnation = Incarnation(worker: "a", generation: 3)
    let spools = try spools(of: incarnation)
    try spools.stdout.writeAll(numbered(0..<1000), to: "a spool")
    // It died between the drop and the line in the log.
    var dying = try OutputSpool(
      path: OutputSpool.path(of: incarnation, .stdout, in: folder.path + "/r/run/host"), from: 1000)
    let dropped = dying.drop(leaving: 10_000, before: 100_000)
    #expect(dropped == OutputSpool.Dropped(lines: 890, bytes: 89_000))
    logs.resume(incarnation)
    await logs.settle(incarnation)
    let lines = try await lines(of: "a", logs)
    #expect(!lines.contains { $0.text.contains("\0") })
    #expect(numbers(lines).first == 0 && numbers(lines).last == 999)
    #expect(lines.contains { $0.text.hasPrefix("dropped 0 lines (") }, "\(lines.map(\.text))")
  }

  @Test func aSpoolIsGivenBackOnceTheLogHasItAndNotBefore() async throws {
    defer { stop() }
    let places = try ProductPlaces(product: "test", root: folder.path + "/r", environment: [:])
    let logs = try keeper(
      RotatedFile.Limits(fileBytes: 30_000, files: 50, waitingBytes: 60_000),
      bounds: LogKeeper.Bounds(portion: 5 * 4096, givenBack: 4096))
    let obstacle = places.logFile(worker: "a") + ".next"
    mkdir(obstacle, 0o700)
    let incarnation = Incarnation(worker: "a", generation: 1)
    let spools = try spools(of: incarnation)
    try spools.stdout.writeAll(numbered(0..<2000), to: "a spool")
    logs.capture(incarnation)
    while logs.troubles.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    // All that is not in the file of the log is still in the spool: another host finds it there.
    let written = try await logs.read(from: ["a": 0], minimumLevel: .trace, limit: 1000).records
    let spool = try OutputSpool(
      path: OutputSpool.path(of: incarnation, .stdout, in: folder.path + "/r/run/host"),
      from: written.last?.taken?.stdout ?? 0)
    var next = spool
    #expect(try next.read(atMost: 100).bytes == numbered(written.count..<written.count + 1))
    #expect(written.count < 400)
    // Nor is more read than waits in memory already: what cannot be written would be lost there.
    for _ in 0..<50 {
      try await Task.sleep(for: .milliseconds(2))
      await logs.flush()
    }
    #expect(logs.troubles.first?.linesLost == 0)
    rmdir(obstacle)
    await logs.settle(incarnation)
    #expect(numbers(try await lines(of: "a", logs)) == Array(0..<2000))
    var status = stat()
    #expect(fstat(spools.stdout.number, &status) == 0)
    #expect(status.st_blocks * 512 <= 3 * 4096, "\(status.st_blocks)")
  }

  // MARK: The host's own lines

  @Test func aLineOfTheHostItselfIsScrubbed() async throws {
    defer { stop() }
    logs.note(log: LogKeeper.hostName, generation: 0, "asked to call +1 415 555 0132 back")
    logs.note(log: "a", generation: 1, "ended: cannot reach margaret@example.com")
    #expect(
      try await lines(of: "kithd", logs).map(\.text) == ["asked to call [REDACTED_PHONE] back"])
    #expect(
      try await lines(of: "a", logs).map(\.text) == ["ended: cannot reach [REDACTED_EMAIL]"])
  }

  @Test func whatAWorkerWritesPastItsLoggerIsScrubbed() async throws {
    defer { stop() }
    let incarnation = Incarnation(worker: "a", generation: 1)
    let spools = try spools(of: incarnation)
    logs.capture(incarnation)
    try spools.stdout.writeAll(Array("call +1 415 555 0132\n".utf8), to: "a spool")
    try spools.stderr.writeAll(
      Array(
        (#"{"at_ms":1,"level":"info","text":"to margaret@example.com","fields":{"phone":"415 555 0132"}}"#
          + "\n").utf8), to: "a spool")
    await logs.settle(incarnation)
    let lines = try await lines(of: "a", logs)
    #expect(Set(lines.map(\.text)) == ["call [REDACTED_PHONE]", "to [REDACTED_EMAIL]"])
    #expect(lines.compactMap { $0.fields["phone"] } == ["[REDACTED_PHONE]"])
    // Nor does whoever asks for its last words hear it.
    #expect(
      await logs.lastErrorLines(of: incarnation) == ["to [REDACTED_EMAIL] phone=[REDACTED_PHONE]"])
  }

  @Test func aFolderOfLogsThatIsRemovedIsMadeAgainAndThatIsSaid() async throws {
    defer { stop() }
    let places = try ProductPlaces(product: "test", root: folder.path + "/r", environment: [:])
    logs.note(log: "a", generation: 1, "before")
    await logs.flush()
    for name in TemporaryFolder.names(places.logsDirectory) {
      unlink("\(places.logsDirectory)/\(name)")
    }
    #expect(rmdir(places.logsDirectory) == 0)
    logs.note(log: "a", generation: 1, "after")
    #expect(try await lines(of: "a", logs).map(\.text) == ["after"])
    let said = try await lines(of: "kithd", logs).map(\.text)
    #expect(
      said.contains(
        "\(places.logFile(worker: "a")) was removed while it was written; it was begun again"),
      "\(said)")
    #expect(logs.troubles == [])
    // And a host that follows reads it.
    #expect(try await lines(of: "a", try keeper()).map(\.text) == ["after"])
  }
}

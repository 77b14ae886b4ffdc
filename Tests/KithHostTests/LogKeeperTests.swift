import Glibc
import KithManifest
import KithSupervision
import Testing

@testable import KithHost

@Suite struct LogKeeperTests {
  let folder: TemporaryFolder
  let reactor: Reactor
  let logs: LogKeeper

  init() throws {
    folder = try TemporaryFolder()
    reactor = try Reactor(name: "test")
    let places = try ProductPlaces(product: "test", root: folder.path + "/r", environment: [:])
    try DurableFile.createPrivateFolder(places.stateDirectory)
    try DurableFile.createPrivateFolder(places.logsDirectory)
    try DurableFile.createPrivateFolder(places.runtimeDirectory)
    logs = try LogKeeper(reactor: reactor, places: places, workers: ["a", "b"])
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
    let run = folder.path + "/r/run"
    return (
      try OutputSpool.create(OutputSpool.path(of: incarnation, .stdout, in: run)),
      try OutputSpool.create(OutputSpool.path(of: incarnation, .stderr, in: run))
    )
  }

  @Test func severalLogsAreMergedByTime() async throws {
    defer { reactor.stop() }
    try write("a", (0..<50).map { ($0 * 4, "info") })
    try write("b", (0..<50).map { ($0 * 6 + 1, "info") })
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

  @Test func linesBelowTheLevelAreLeftOut() async throws {
    defer { reactor.stop() }
    try write("a", (0..<3000).map { ($0, $0 % 1000 == 999 ? "error" : "debug") })
    let all = try await logs.read(from: ["a": 0], minimumLevel: .error, limit: 1000)
    #expect(all.records.map(\.text) == ["a999", "a1999", "a2999"] && all.isAtEnd)
    let last = try await logs.cursor(of: ["a"], lastLines: 1, minimumLevel: .warning)
    let found = try await logs.read(from: last, minimumLevel: .warning, limit: 1000)
    #expect(found.records.map(\.text) == ["a2999"])
  }

  @Test func whoWaitsIsWokenByAnyOfSeveralLogs() async throws {
    defer { reactor.stop() }
    let logs = logs
    let start = try await logs.cursor(of: ["a", "b"], lastLines: 0, minimumLevel: .trace)
    async let woken = logs.waitForLines(after: start)
    try write("b", [(1, "info")])
    #expect(try await woken)
    logs.releaseReaders()
    let end = try await logs.cursor(of: ["a", "b"], lastLines: 0, minimumLevel: .trace)
    #expect(try await !logs.waitForLines(after: end))
  }

  @Test func aLogThatCannotBeWrittenIsToldAndCatchesUp() async throws {
    defer { reactor.stop() }
    let places = try ProductPlaces(product: "test", root: folder.path + "/r", environment: [:])
    let logs = try LogKeeper(
      reactor: reactor, places: places, workers: ["a"],
      limits: RotatedFile.Limits(fileBytes: 1000, files: 50))
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
    defer { reactor.stop() }
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
    let last = try LogKeeper(
      reactor: self.reactor, places: places, workers: ["a"], limits: limits)
    last.resume(incarnation)
    last.finish(incarnation)
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
    #expect(TemporaryFolder.names(places.runtimeDirectory) == [])
  }

  /// Runs a keeper of its own; its thread.
  private func live(_ body: (LogKeeper) async throws -> Void) async throws -> Reactor {
    let reactor = try Reactor(name: "life")
    defer { reactor.stop() }
    try await body(
      LogKeeper(
        reactor: reactor,
        places: try ProductPlaces(product: "test", root: folder.path + "/r", environment: [:]),
        workers: ["a"], limits: RotatedFile.Limits(fileBytes: 20_000, files: 100)))
    return reactor
  }

  @Test func aSpoolHoldsNoMoreThanIsNotYetLogged() async throws {
    defer { reactor.stop() }
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
}

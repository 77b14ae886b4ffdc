import Glibc
import HostContract
import KithClient
import KithManifest
import KithRPC
import KithTesting
import RiskContract
import Testing
import TestingContract

/// Workers that do not do what they should.
@Suite struct TroubleTests {
  private let options = CallOptions(timeout: RunningProduct.patience)

  @Test func aWorkerThatAlwaysCrashesEndsInQuarantineAndSaysWhy() async throws {
    let setup = Setups.odd(atStart: "say", restart: "{ intensity: 2, period: 30s }")
    try await RunningProduct.run(setup) { product in
      let worker = try #require(try await product.settle(allowsFailures: true).workers.first)
      #expect(worker.state == .quarantined)
      #expect(worker.restarts == 2)
      #expect(worker.generation == 3)
      #expect(worker.pid == 0)
      #expect(worker.reason == "restarted 2 times within 30 s, then: exit code 4")
      #expect(worker.lastExit?.cause == .exitCode(4))
      #expect(worker.lastExit?.lastLines.last == "on standard error")
      #expect((worker.nextStartAtMs ?? 0) > worker.sinceMs)

      // Somebody who asks for it gets a new try, and is told how it went.
      let error = await #expect(throws: RPCError.self) {
        try await product.host.startWorker(StartWorkerRequest(name: "odd"), options: options)
      }
      #expect(error?.code == .failedPrecondition)
      #expect(error?.message.contains("exit code 4") == true)
      #expect(try await product.worker("odd").generation == 6)
    }
  }

  @Test func aCrowdThatConnectsAndSaysNothingLeavesTheWorkerItsOwnFiles() async throws {
    let setup = Setups.odd(more: "limits: { open_files: 64 }")
    try await RunningProduct.run(setup) { product in
      let worker = try #require(try await product.settle().workers.first)
      try #require(worker.state == .ready, "\(worker.reason)")
      try await product.tell("generation")
      let path = String(worker.address.dropFirst("ipc://".count))
      let crowd = try (0..<200).map { _ in try UnixSocket.open([], to: path) }
      // Those who called before go on, and nobody in the crowd ends the worker.
      for _ in 0..<20 { #expect(try await product.tell("generation") == worker.generation) }
      for one in crowd { close(one) }
      // And when the crowd has gone, there is room again.
      var isAnswered = false
      while !isAnswered {
        try Task.checkCancellation()
        let connection = try await HostConnection.open(
          product: product.places.product, address: product.places.controlAddress)
        defer { connection.close() }
        do throws(RPCError) {
          _ = try await RiskEngineClient(connection.worker(named: "odd"))
            .analyze(AnalyzeRequest(text: "generation"), options: options)
          isAnswered = true
        } catch {
          // It has not seen yet that the crowd is gone.
          try #require(error.code == .unavailable, "\(error)")
        }
      }
      #expect(try await product.worker("odd").restarts == 0)
    }
  }

  @Test func aConfigurationThatTheWorkerRefusesIsNotTriedAgain() async throws {
    try await RunningProduct.run(Setups.odd(atStart: "refuse")) { product in
      let worker = try #require(try await product.settle(allowsFailures: true).workers.first)
      #expect(worker.state == .quarantined)
      #expect(worker.generation == 1)
      #expect(worker.nextStartAtMs == nil)
      #expect(worker.reason.contains("at_start"), "\(worker.reason)")
    }
  }

  @Test func aWorkerThatCannotStartSaysWhy() async throws {
    let setup = Setups.odd(atStart: "throw", restart: "{ intensity: 0, period: 30s }")
    try await RunningProduct.run(setup) { product in
      let worker = try #require(try await product.settle(allowsFailures: true).workers.first)
      #expect(worker.state == .quarantined)
      #expect(worker.reason.contains("StartTrouble"), "\(worker.reason)")
    }
  }

  @Test func aProgramThatNeverListensIsEndedAfterItsTime() async throws {
    let setup = Setups.script(
      "exec sleep 1000", restart: "{ intensity: 0, period: 30s }", startTimeout: "1s")
    try await RunningProduct.run(setup) { product in
      let worker = try #require(try await product.settle(allowsFailures: true).workers.first)
      #expect(worker.state == .quarantined)
      #expect(
        worker.lastExit?.description == "not ready within 1 s: its process does not listen yet")
      #expect(worker.lastExit?.cause == .signal(SIGTERM))
      #expect(product.processes() == [])
    }
  }

  @Test func aProgramThatIgnoresSIGTERMIsKilledWithItsChildren() async throws {
    let setup = Setups.script(
      "trap '' TERM; sleep 1000 & while :; do sleep 1000; done",
      restart: "{ intensity: 0, period: 30s }", startTimeout: "1s")
    try await RunningProduct.run(setup) { product in
      let worker = try #require(try await product.settle(allowsFailures: true).workers.first)
      #expect(worker.lastExit?.cause == .signal(SIGKILL))
      #expect(product.processes() == [])
    }
  }

  @Test func aProgramThatIsNoWorkerIsTurnedAway() async throws {
    let setup = Setups.script("echo nonsense >&4; sleep 1000")
    try await RunningProduct.run(setup) { product in
      let worker = try #require(try await product.settle(allowsFailures: true).workers.first)
      #expect(worker.state == .quarantined)
      #expect(worker.reason.contains("listening"), "\(worker.reason)")
    }
  }

  @Test func theChildrenOfAWorkerThatDiesEndWithIt() async throws {
    try await RunningProduct.run(Setups.odd()) { product in
      try await product.settle()
      try await product.tell("child")
      #expect(product.processes().count == 2)
      let before = try await product.kill("odd")
      try await product.waitUntil("odd") { $0.state == .ready && $0.generation == 2 }
      // The worker of now, and nothing of before.
      let now = try await product.worker("odd")
      #expect(product.processes() == [now.pid])
      #expect(now.pid != before.pid)
    }
  }

  @Test func aWorkerThatLeavesByItselfIsRestarted() async throws {
    try await RunningProduct.run(Setups.odd()) { product in
      try await product.settle()
      await #expect(throws: RPCError.self) { try await product.tell("exit 0") }
      let worker = try await product.waitUntil("odd") { $0.state == .ready && $0.generation == 2 }
      #expect(worker.lastExit?.description == "exit code 0")
    }
  }

  @Test func aStrangerAtTheDoorIsNamedInTheLogOnce() async throws {
    try await RunningProduct.run(Setups.odd()) { product in
      let worker = try #require(try await product.settle().workers.first)
      let path = String(worker.address.dropFirst("ipc://".count))
      for _ in 0..<5 { try UnixSocket.send(Array("GET / HTTP/1.1\r\n\r\n".utf8), to: path) }
      // Its answer comes after what the five have led to, on the same reading thread or a later
      // one.
      var lines: [LogLine] = []
      while lines.isEmpty {
        try await product.tell("nothing")
        lines = try await product.log(of: "odd").filter { $0.text.contains("refused") }
      }
      #expect(lines.count == 1)
      #expect(lines.first?.level == .warning)
      #expect(lines.first?.fields["reason"]?.contains("does not speak SP") == true, "\(lines)")
      #expect(lines.first?.fields["uid"] == "\(geteuid())", "\(lines)")
    }
  }

  @Test func whatAWorkerWritesIsKeptAndReadAcrossRotations() async throws {
    try await RunningProduct.run(Setups.odd()) { product in
      try await product.settle()
      var cursor = try await product.host.readLog(
        ReadLogRequest(names: ["odd"]), options: options
      ).cursor
      // More than one file's worth.
      async let told = product.tell("write 6000 1000")
      var numbers: [Int] = []
      while numbers.last != 5999 {
        let response = try await product.host.readLog(
          ReadLogRequest(names: ["odd"], cursor: cursor, waitForLines: true), options: options)
        #expect(response.lines.count <= 1000)
        numbers += response.lines.filter { $0.stream == .stderr }
          .compactMap { Int($0.text.split(separator: " ").first ?? "") }
        cursor = response.cursor
      }
      #expect(numbers == Array(0..<6000))
      _ = try await told
      let files = TemporaryFolder.names(in: product.places.logsDirectory)
      #expect(files.contains("odd.log.1"))

      let last = try await product.log(of: "odd", last: 3)
      #expect(last.map { $0.text.prefix(4) } == ["5997", "5998", "5999"])
      #expect(last.allSatisfy { $0.generation == 1 && $0.stream == .stderr })
      for request in [
        ReadLogRequest(names: ["odd"], cursor: "nonsense"),
        ReadLogRequest(names: ["odd"], lastLines: 10_001),
      ] {
        let error = await #expect(throws: RPCError.self) {
          try await product.host.readLog(request, options: options)
        }
        #expect(error?.code == .invalidArgument)
      }
    }
  }

  @Test func aFloodOfLinesIsBoundedCountedAndDelaysNobody() async throws {
    let product = try await RunningProduct.start(Setups.two())
    do {
      try await product.settle()
      try await product.tell("flood 100000000 call 42 took 17 ms")
      var trouble: LogTrouble?
      while trouble == nil {
        let status = try await product.host.getStatus(GetStatusRequest(), options: options)
        trouble = status.logTroubles.first { $0.bytesDropped > 0 }
      }
      #expect(trouble?.name == "odd" && trouble?.reason == "" && trouble?.linesLost == 0)
      #expect((trouble?.linesDropped ?? 0) > 100_000)
      // Most of it waits to be scrubbed; whoever asks for something else does not.
      let stream = try await StreamsClient(product.client(of: "even"))
        .count(CountRequest(count: 1), options: options)
      for try await _ in stream {}
      let spool = "\(product.places.hostDirectory)/odd.1.err"
      var status = stat()
      #expect(stat(spool, &status) == 0 && status.st_size > 100_000_000)
      while status.st_blocks * 512 > 20_000_000 { stat(spool, &status) }
    } catch {
      product.abandon()
      throw error
    }
    try await product.stop()
    // What it wrote last is in the log, and so is what was dropped.
    let folder = product.places.logsDirectory
    let logs = TemporaryFolder.names(in: folder).filter { $0.hasPrefix("odd.log") }
      .compactMap { TemporaryFolder.text(of: "\(folder)/\($0)") }
    #expect(logs.contains { $0.contains(#""text":"flooded""#) })
    #expect(logs.contains { $0.contains("it wrote faster than its log is kept") })
  }
}

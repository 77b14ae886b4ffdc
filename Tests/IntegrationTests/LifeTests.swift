import Glibc
import HostContract
import KithManifest
import KithRPC
import KithTesting
import RiskContract
import Testing

/// A product's life: up, restarts, stops, down.
@Suite struct LifeTests {
  @Test func everyWorkerBecomesReady() async throws {
    try await RunningProduct.run(Setups.odd()) { product in
      let status = try await product.settle()
      #expect(status.product == "test")
      #expect(status.title == "Test")
      #expect(status.hostPid == product.program.pid)
      let worker = try #require(status.workers.first)
      #expect(worker.name == "odd")
      #expect(worker.state == .ready)
      #expect(worker.generation == 1)
      #expect(worker.wanted)
      #expect(worker.residentBytes > 0)
      #expect(
        worker.services == ["kith.risk.v1.RiskEngine", "kith.testing.v1.Streams"])
      #expect(worker.address.hasSuffix("/odd.1/sock"))
      #expect(product.processes() == [worker.pid])
      #expect(try await product.tell("hello") == 1)
    }
  }

  @Test func aKilledWorkerComesBackAndAWaitingCallIsAnswered() async throws {
    try await RunningProduct.run(Setups.odd()) { product in
      try await product.settle()
      #expect(try await product.tell("hello") == 1)
      try await product.kill("odd")
      #expect(try await product.tellUntilHeard("hello") == 2)
      let worker = try await product.worker("odd")
      #expect(worker.state == .ready)
      #expect(worker.restarts == 1)
      #expect(worker.lastExit?.generation == 1)
      #expect(worker.lastExit?.cause == .signal(SIGKILL))
      #expect(worker.lastExit?.description.hasPrefix("killed by SIGKILL from outside") == true)
      // The first one's socket and output are gone, and only the second one's record is left.
      #expect(
        TemporaryFolder.names(in: product.places.runtimeDirectory) == [
          "host", "host.sock", "odd.2",
        ])
      #expect(
        TemporaryFolder.names(in: product.places.hostDirectory) == [
          "odd.2.err", "odd.2.out", "odd.2.process", "operator.token", "pass.key", "wishes.json",
        ])
    }
  }

  @Test func aWorkerIsResolvedByNameAndByServiceAndNeverStale() async throws {
    try await RunningProduct.run(Setups.odd()) { product in
      try await product.settle()
      let options = CallOptions(timeout: RunningProduct.patience)
      let byService = try await product.host.resolve(
        ResolveRequest(target: .service("kith.risk.v1.RiskEngine")), options: options)
      #expect(byService.worker == "odd")
      #expect(byService.generation == 1)
      // Asked for a newer one, the host answers as soon as there is one.
      async let newer = product.host.resolve(
        ResolveRequest(target: .worker("odd"), waitForReady: true, newerThanGeneration: 1),
        options: options)
      try await product.kill("odd")
      #expect(try await newer.generation == 2)

      for (target, code) in [
        (ResolveRequest.Target.worker("nobody"), StatusCode.notFound),
        (.service("no.such.Service"), .notFound), (.worker(""), .invalidArgument),
      ] {
        let error = await #expect(throws: RPCError.self) {
          try await product.host.resolve(ResolveRequest(target: target), options: options)
        }
        #expect(error?.code == code)
      }
      let error = await #expect(throws: RPCError.self) {
        try await product.host.resolve(
          ResolveRequest(target: .worker("odd"), newerThanGeneration: 2), options: options)
      }
      #expect(error?.code == .unavailable)
    }
  }

  @Test func workersAreStoppedStartedAndRestarted() async throws {
    try await RunningProduct.run(Setups.odd()) { product in
      try await product.settle()
      let options = CallOptions(timeout: RunningProduct.patience)
      let stopped = try await product.host.stopWorker(
        StopWorkerRequest(name: "odd"), options: options)
      #expect(stopped.worker?.state == .stopped)
      #expect(stopped.worker?.wanted == false)
      #expect(stopped.worker?.lastExit?.cause == .exitCode(0))
      #expect(product.processes() == [])
      // Once more changes nothing.
      _ = try await product.host.stopWorker(StopWorkerRequest(name: "odd"), options: options)

      let started = try await product.host.startWorker(
        StartWorkerRequest(name: "odd"), options: options)
      #expect(started.worker?.state == .ready)
      #expect(started.worker?.generation == 2)
      let again = try await product.host.startWorker(
        StartWorkerRequest(name: "odd"), options: options)
      #expect(again.worker?.generation == 2)

      let restarted = try await product.host.restartWorkers(
        RestartWorkersRequest(names: ["odd"]), options: options
      ).replacements[0]
      #expect(restarted.worker?.state == .ready)
      #expect(restarted.worker?.generation == 3)
      #expect(restarted.worker?.restarts == 0)
      #expect(try await product.tell("hello", waitForReady: true) == 3)

      let error = await #expect(throws: RPCError.self) {
        try await product.host.startWorker(StartWorkerRequest(name: "even"), options: options)
      }
      #expect(error?.code == .notFound)
      #expect(error?.message.contains("odd") == true)
    }
  }

  @Test func aDrainLetsACallInProgressEnd() async throws {
    try await RunningProduct.run(Setups.odd()) { product in
      try await product.settle()
      async let working = product.tell("work 300")
      try await product.waitForLine(of: "odd", "working")
      let stopped = try await product.host.stopWorker(
        StopWorkerRequest(name: "odd"), options: CallOptions(timeout: RunningProduct.patience))
      #expect(try await working == 1)
      #expect(stopped.worker?.lastExit?.cause == .exitCode(0))
    }
  }

  @Test func shutdownEndsAllAndTellsHowMany() async throws {
    let product = try await RunningProduct.start(Setups.odd())
    try await product.settle()
    let response = try await product.host.shutdown(
      ShutdownRequest(), options: CallOptions(timeout: RunningProduct.patience))
    #expect(response.workersEnded == 1)
    #expect(response.workersKilled == 0)
    #expect(await product.program.exitCode() == 0)
    #expect(product.processes() == [])
    #expect(TemporaryFolder.names(in: product.places.runtimeDirectory) == [])
    product.abandon()
  }

  @Test func generationsGoOnInTheNextHost() async throws {
    let first = try await RunningProduct.start(Setups.odd())
    try await first.settle()
    try await first.stop()
    let second = try await RunningProduct.start(Setups.odd(), in: first.folder)
    let worker = try #require(try await second.settle().workers.first)
    #expect(worker.generation == 2)
    try await second.stop()
  }

  @Test func workersComeUpInTheOrderOfTheirRequirements() async throws {
    let setup = Setups.upper(requiring: "kith.risk.v1.RiskEngine")
    try await RunningProduct.run(setup) { product in
      let status = try await product.settle()
      #expect(status.workers.map(\.name) == ["odd", "upper"])
      let notes = try await product.log(of: "kithd").map(\.text)
      let ready = try #require(notes.firstIndex { $0.hasPrefix("odd.1: ready") })
      let started = try #require(notes.firstIndex { $0.hasPrefix("upper.1: started") })
      #expect(ready < started)
    }
  }
}

extension RunningProduct {
  /// Waits until a line stands in a worker's log.
  func waitForLine(of name: String, _ text: String, count: Int = 1) async throws {
    var request = ReadLogRequest(names: [name], lastLines: 10_000, waitForLines: true)
    var found = 0
    while true {
      let response = try await host.readLog(
        request, options: CallOptions(timeout: Self.patience))
      found += response.lines.count { $0.text.contains(text) }
      if found >= count { return }
      request.cursor = response.cursor
    }
  }
}

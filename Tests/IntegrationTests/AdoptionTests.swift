import Glibc
import HostContract
import KithClient
import KithManifest
import KithRPC
import KithTesting
import Testing

/// The host dies, and another one takes its workers over.
@Suite struct AdoptionTests {
  /// Boots a product, kills its host, lets `meanwhile` happen, and boots the next host in its
  /// place.
  private func adopted(
    _ setup: ProductSetup = Setups.odd(), next: ProductSetup? = nil, settles: Bool = true,
    meanwhile: (RunningProduct) async throws -> Void = { _ in },
    _ body: (RunningProduct) async throws -> Void
  ) async throws {
    let first = try await RunningProduct.start(setup)
    let second: RunningProduct
    do {
      if settles { try await first.settle() }
      try await meanwhile(first)
      await first.killHost()
      second = try await RunningProduct.start(next ?? setup, in: first.folder)
    } catch {
      first.abandon()
      throw error
    }
    do {
      try await body(second)
    } catch {
      second.abandon()
      throw error
    }
    first.connection.close()
    try await second.stop()
    #expect(TemporaryFolder.names(in: second.places.runtimeDirectory) == [])
  }

  @Test func theWorkerGoesOnAndTheNextHostLeadsIt() async throws {
    let first = try await RunningProduct.start(Setups.odd())
    let before = try #require(try await first.settle().workers.first)
    #expect(try await first.tell("hello") == 1)
    await first.killHost()
    #expect(first.processes() == [before.pid])
    // Who is connected calls on, as if nothing had happened.
    #expect(try await first.tell("hello") == 1)
    #expect(
      TemporaryFolder.names(in: first.places.runtimeDirectory) == ["host", "host.sock", "odd.1"])
    #expect(
      TemporaryFolder.names(in: first.places.hostDirectory)
        == ["odd.1.err", "odd.1.out", "odd.1.process", "operator.token", "pass.key"])

    let second = try await RunningProduct.start(Setups.odd(), in: first.folder)
    let after = try #require(try await second.settle().workers.first)
    #expect(after.state == .ready)
    #expect(after.pid == before.pid)
    #expect(after.generation == 1)
    #expect(after.restarts == 0)
    #expect(after.lastExit == nil)
    #expect(try await second.tell("hello") == 1)
    #expect(try await first.tell("hello") == 1)
    // It is led: its end is noticed, and the kernel says how it came.
    try await second.kill("odd")
    #expect(try await second.tellUntilHeard("hello") > 1)
    let killed = try await second.worker("odd")
    #expect(killed.lastExit?.generation == 1)
    #expect(
      ["killed by SIGKILL from outside (maybe by the kernel, out of memory)", Self.unknown]
        .contains(killed.lastExit?.description))
    #expect(killed.restarts == 1)
    first.connection.close()
    try await second.stop()
  }

  private static let unknown = "exit status unknown: adopted from an earlier host"

  @Test func hostsThatDieInARowLoseNothing() async throws {
    var product = try await RunningProduct.start(Setups.odd())
    let before = try #require(try await product.settle().workers.first)
    for _ in 0..<5 {
      await product.killHost()
      product.connection.close()
      // Not settled: it may die before it has led anything.
      product = try await RunningProduct.start(Setups.odd(), in: product.folder)
    }
    let after = try #require(try await product.settle().workers.first)
    #expect(after.pid == before.pid)
    try await product.stop()
  }

  @Test func whatAWorkerWritesWhileNoHostLivesIsLogged() async throws {
    try await adopted(meanwhile: { product in
      try await product.tell("write 100 50")
      await product.killHost()
      try await product.tell("write 3000 50")
      // The last words of one that does not live to see the next host.
      try await product.tell("write 10 5")
      _ = try? await product.tell("exit 3")
    }) { product in
      try await product.settle()
      var lines: [String] = []
      var request = ReadLogRequest(names: ["odd"], lastLines: 10_000)
      while true {
        let page = try await product.host.readLog(request)
        if page.lines.isEmpty { break }
        lines += page.lines.map(\.text)
        request.cursor = page.cursor
      }
      let written = lines.filter { $0.hasSuffix("xxxxx") }
      let x = String(repeating: "x", count: 50)
      #expect(
        written
          == ((0..<100).map { "\($0) \(x)" } + (0..<3000).map { "\($0) \(x)" }
            + (0..<10).map { "\($0) xxxxx" }))
      let worker = try await product.worker("odd")
      #expect(worker.generation > 1)
      #expect(worker.restarts == 1)
      #expect(worker.lastExit?.generation == 1)
      #expect(["exit code 3", Self.unknown].contains(worker.lastExit?.description))
      #expect(worker.lastExit?.lastLines.last == "9 xxxxx")
    }
  }

  @Test func aWorkerOnItsWayUpIsStartedAnew() async throws {
    try await adopted(
      Setups.odd(atStart: "hang"), next: Setups.odd(), settles: false,
      meanwhile: { product in
        try await product.waitForLine(of: "odd", "listening")
      }
    ) { product in
      let worker = try #require(try await product.settle().workers.first)
      #expect(worker.state == .ready)
      #expect(worker.generation > 1)
      #expect(worker.restarts == 0)
      #expect(product.processes() == [worker.pid])
    }
  }

  @Test func aProgramThatNeverProvesItselfIsEndedWithAllThatItStarted() async throws {
    // It never listens, takes no SIGTERM, and has a child in a session of its own.
    let stubborn = Setups.script(
      "trap '' TERM; setsid sleep 3600 & echo up; sleep 3600; sleep 3600")
    try await adopted(
      stubborn, next: Setups.odd(), settles: false,
      meanwhile: { try await $0.waitForLine(of: "odd", "up") }
    ) { product in
      let worker = try #require(try await product.settle().workers.first)
      #expect(worker.state == .ready)
      #expect(product.processes() == [worker.pid])
    }
  }

  @Test func aWorkerOnItsWayOutIsNotTakenForOneThatServes() async throws {
    try await adopted(meanwhile: { product in
      let (caller, host) = (product, product.host)
      async let call = try? caller.tell("work 2000")
      try await product.waitForLine(of: "odd", "working")
      async let stop = try? host.restartWorkers(RestartWorkersRequest(names: ["odd"]))
      try await product.waitUntil("odd") { $0.state == .draining }
      await product.killHost()
      _ = await (call, stop)
    }) { product in
      let worker = try #require(try await product.settle().workers.first)
      #expect(worker.state == .ready)
      #expect(worker.generation > 1)
      #expect(product.processes() == [worker.pid])
    }
  }

  @Test func whatWasAskedForIsNotForgotten() async throws {
    try await adopted(meanwhile: { product in
      _ = try await product.host.setWorkerLogLevel(
        SetWorkerLogLevelRequest(name: "odd", level: .debug))
      _ = try await product.host.stopWorker(StopWorkerRequest(name: "odd"))
    }) { product in
      let worker = try #require(try await product.settle().workers.first)
      #expect(worker.state == .stopped && !worker.wanted)
      let level = try await product.host.setWorkerLogLevel(SetWorkerLogLevelRequest(name: "odd"))
      #expect(level.level == .debug)
      #expect(product.processes() == [])
    }
  }

  @Test func aChangedManifestReplacesTheWorkerThatRuns() async throws {
    try await adopted(next: Setups.odd(atStart: "else", more: "overlap: true")) { product in
      try await product.waitUntil("odd") { $0.generation > 1 && $0.generations.count == 1 }
      let worker = try #require(try await product.settle().workers.first)
      #expect(worker.state == .ready)
      #expect(worker.restarts == 0)
      #expect(worker.lastExit?.cause == .exitCode(0))
    }
  }

  @Test func aWorkerThatTheManifestHasNoMoreIsEnded() async throws {
    var next = Setups.odd()
    next.product = next.product.replacing("odd:", with: "other:").replacing(
      "config: {", with: "plugin: odd\n    config: {")
    try await adopted(next: next) { product in
      let worker = try #require(try await product.settle().workers.first)
      #expect(worker.name == "other" && worker.state == .ready)
      try await waitUntil("only the new process is there") { product.processes() == [worker.pid] }
    }
  }

  @Test func aRecordOfAProcessThatIsAnothersByNowHarmsNobody() async throws {
    let stranger = try Program("sleep", ["3600"]).start()
    try await adopted(meanwhile: { product in
      await product.killHost()
      // As if the worker had ended and its pid were another's by now.
      for pid in product.processes() { kill(pid, SIGKILL) }
      let path = "\(product.places.hostDirectory)/odd.1.process"
      var record = try #require(TemporaryFolder.text(of: path))
      let pid = try #require(record.firstMatch(of: /"pid":[0-9]+/)).range
      record.replaceSubrange(pid, with: "\"pid\":\(stranger.pid)")
      try product.folder.write(record, to: "r/run/host/odd.1.process", mode: 0o600)
    }) { product in
      let worker = try #require(try await product.settle().workers.first)
      #expect(worker.state == .ready)
      #expect(worker.generation > 1)
      #expect(!stranger.hasEnded)
    }
    stranger.signal(SIGKILL)
  }

  @Test func whoCannotProveItselfIsNotLed() async throws {
    try await adopted(meanwhile: { product in
      await product.killHost()
      let path = "\(product.places.hostDirectory)/odd.1.process"
      var record = try #require(TemporaryFolder.text(of: path))
      let secret = try #require(record.firstMatch(of: /"secret":"[^"]{8}/)).range
      record.replaceSubrange(secret, with: "\"secret\":\"AAAAAAAA")
      try product.folder.write(record, to: "r/run/host/odd.1.process", mode: 0o600)
    }) { product in
      let worker = try #require(try await product.settle().workers.first)
      #expect(worker.state == .ready)
      #expect(worker.generation > 1)
      let said = try await product.log(of: "kithd").map(\.text)
      #expect(said.contains { $0.hasPrefix("odd.1: is not taken over") && $0.contains("proof") })
      #expect(product.processes() == [worker.pid])
    }
  }

  @Test func aProcessThatWasNotRecordedIsEnded() async throws {
    try await adopted(meanwhile: { product in
      try await product.tell("child")
      await product.killHost()
      unlink("\(product.places.hostDirectory)/odd.1.process")
    }) { product in
      let worker = try #require(try await product.settle().workers.first)
      #expect(worker.state == .ready)
      #expect(worker.generation > 1)
      #expect(product.processes() == [worker.pid])
    }
  }

  @Test func anUpgradedWorkerStaysUpgraded() async throws {
    let newer = Setups.plugin(name: "odd", executable: "misbehaving-worker").manifest
      .replacing("1.0.0", with: "1.1.0")
    try await adopted(meanwhile: { product in
      try product.folder.write(newer, to: "newer/plugin.yaml")
      _ = try await product.host.upgradeWorker(
        UpgradeWorkerRequest(name: "odd", directory: product.folder.path + "/newer"))
    }) { product in
      let worker = try #require(try await product.settle().workers.first)
      #expect(worker.generation == 2)
      #expect(worker.pluginVersion == "1.1.0")
      #expect(worker.state == .ready)
    }
  }

  @Test func dependentsAreNotRestartedWhileTheyAreTakenOver() async throws {
    let setup = Setups.upper(requiring: "{ service: kith.risk.v1.RiskEngine, on_loss: restart }")
    try await adopted(setup) { product in
      let workers = try await product.settle().workers
      #expect(workers.map(\.state) == [.ready, .ready])
      #expect(workers.map(\.generation) == [1, 1])
    }
  }

  /// The program that the host of a product runs.
  private func program(of product: RunningProduct) -> String {
    guard let path = realpath("/proc/\(product.program.pid)/exe", nil) else { return "" }
    defer { free(path) }
    return String(cString: path)
  }

  @Test func theHostBecomesAnotherProgramAndKeepsItsChildren() async throws {
    let place = try TemporaryFolder()
    let folder = place.path
    try place.write("", to: "plugins/p0/bin/.keep")
    // With its plugin, so that whichever host looks finds the same program.
    try await copy("misbehaving-worker", to: "\(folder)/plugins/p0/bin/misbehaving-worker")
    let product = try await RunningProduct.start(Setups.odd(), in: place)
    do {
      let before = try #require(try await product.settle().workers.first)
      for turn in 0..<3 {
        let path = "\(folder)/kithd-\(turn)"
        try await copy("kithd", to: path)
        let outcome = try await Program.built(
          "kith", ["upgrade", "--host", "--to", path, "--root", "\(folder)/r"]
        ).run()
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("went on: 1 of 1"), "\(outcome.output)")
        #expect(program(of: product) == path)
      }
      #expect(try await product.tell("hello") == 1)
      let next = HostConnection(product: "test", address: product.places.controlAddress)
      defer { next.close() }
      let after = try #require(
        try await next.host.getStatus(GetStatusRequest(waitUntilSettled: true)).workers.first)
      #expect(after.pid == before.pid && after.restarts == 0)
      // Still the host's child: how it ends is known for certain.
      _ = try? await product.tell("exit 7")
      let response = try await next.host.resolve(
        ResolveRequest(target: .worker("odd"), waitForReady: true, newerThanGeneration: 1))
      #expect(response.generation == 2)
      let ended = try #require(try await next.host.getStatus(GetStatusRequest()).workers.first)
      #expect(ended.lastExit?.cause == .exitCode(7))
    } catch {
      product.abandon()
      throw error
    }
    try await product.stop()
  }

  private func copy(_ program: String, to path: String) async throws {
    let outcome = try await Program("cp", [try Program.built(program).path, path]).run()
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
  }

  @Test func aProgramThatCannotRunLeavesTheHostAsItIs() async throws {
    try await RunningProduct.run(Setups.odd()) { product in
      try await product.settle()
      let kithd = try Program.built("kithd").path
      let before = program(of: product)
      for (name, script) in [
        ("no-host", "exit 0"), ("broken", "echo kithd 9; test \"$1\" = --version"),
        // What it says of itself is right, and then it cannot start.
        (
          "liar",
          "case \"$*\" in *--check|--version) exec \(kithd) \"$@\";; esac; exec \(kithd) run --product /nowhere.yaml"
        ),
      ] {
        let path = "\(product.folder.path)/\(name)"
        try product.folder.write("#!/bin/sh\n\(script)\n", to: name, mode: 0o755)
        let outcome = try await Program.built(
          "kith", ["upgrade", "--host", "--to", path, "--root", "\(product.folder.path)/r"]
        ).run()
        #expect(outcome.exitCode != 0, "\(name): \(outcome.output)")
        #expect(
          outcome.errors.contains(name == "liar" ? "/nowhere.yaml" : path), "\(outcome.errors)")
        #expect(program(of: product) == before)
        #expect(try await product.tell("hello") == 1)
      }
    }
  }
}

import Glibc
import HostContract
import KithRPC
import KithTesting
import RiskContract
import Testing

/// Replacing the processes of workers while they are called.
@Suite struct ReplacementTests {
  private let options = CallOptions(timeout: RunningProduct.patience)

  @Test func theNewProcessTakesOverAndTheOldOneEndsItsCalls() async throws {
    try await RunningProduct.run(Setups.odd(more: "overlap: true")) { product in
      try await product.settle()
      async let working = product.tell("work 300")
      try await product.waitForLine(of: "odd", "working")
      async let restarted = product.host.restartWorkers(
        RestartWorkersRequest(names: ["odd"]), options: options)
      // Not one of those who do not wait is turned away meanwhile.
      while try await product.tell("hello") == 1 { try Task.checkCancellation() }
      #expect(try await working == 1)
      let replacement = try #require(try await restarted.replacements.first)
      #expect(replacement.fromGeneration == 1)
      #expect(replacement.worker?.generation == 2)
      #expect(replacement.worker?.generations == [2])
      #expect(replacement.worker?.lastExit?.cause == .exitCode(0))
      #expect(replacement.callsServed >= 2)
      #expect(replacement.callsFailed == 0)
      #expect(replacement.callersHeld == 0)
    }
  }

  @Test func callersAreHeldWhereTwoMayNotRunAtOnce() async throws {
    try await RunningProduct.run(Setups.odd()) { product in
      try await product.settle()
      #expect(try await product.tell("hello") == 1)
      async let working = product.tell("work 300")
      try await product.waitForLine(of: "odd", "working")
      async let restarted = product.host.restartWorkers(
        RestartWorkersRequest(names: ["odd"]), options: options)
      try await product.waitUntil("odd") { $0.state == .draining }
      // For a moment the old one still takes what may have been on its way.
      while try await product.tell("hello", waitForReady: true) == 1 {
        try Task.checkCancellation()
      }
      #expect(try await working == 1)
      let replacement = try #require(try await restarted.replacements.first)
      #expect(replacement.callersHeld == 1)
      #expect(replacement.callsFailed == 0)
    }
  }

  @Test func callsThatOutlastTheGracePeriodAreCountedAsFailed() async throws {
    try await RunningProduct.run(Setups.odd(stopTimeout: "600ms", more: "overlap: true")) {
      product in
      try await product.settle()
      async let working = product.tell("work 60000")
      try await product.waitForLine(of: "odd", "working")
      let restarted = try await product.host.restartWorkers(
        RestartWorkersRequest(names: ["odd"]), options: options)
      #expect(restarted.replacements.first?.callsFailed == 1)
      var ending: RPCError?
      do { _ = try await working } catch let error as RPCError { ending = error }
      #expect(ending?.code == .unavailable)
    }
  }

  @Test(arguments: [true, false])
  func anUpgradeThatDoesNotBecomeReadyIsTakenBack(overlap: Bool) async throws {
    try await RunningProduct.run(Setups.odd(more: "overlap: \(overlap)")) { product in
      try await product.settle()
      let folder = "\(product.folder.path)/upgrade"
      let plugin = Setups.plugin(
        name: "odd", executable: "script", more: "overlap: \(overlap)",
        scripts: [ProductSetup.Script(name: "script", text: "#!/bin/sh\nexit 3\n")])
      try plugin.write(to: product.folder, as: "upgrade")
      let error = await #expect(throws: RPCError.self) {
        try await product.host.upgradeWorker(
          UpgradeWorkerRequest(name: "odd", directory: folder), options: options)
      }
      #expect(error?.code == .failedPrecondition)
      #expect(error?.message.contains("exit code 3") == true)
      #expect(try await product.tell("hello", waitForReady: true) == (overlap ? 1 : 3))

      // Another that works is taken.
      let before = try await product.worker("odd")
      #expect(before.manifestVersion == before.pluginVersion)
      var better = Setups.plugin(
        name: "odd", executable: "misbehaving-worker", more: "overlap: \(overlap)")
      better.manifest.replace("version: \(before.pluginVersion)", with: "version: 7.0.0")
      try better.write(to: product.folder, as: "better")
      let upgraded = try await product.host.upgradeWorker(
        UpgradeWorkerRequest(name: "odd", directory: "\(product.folder.path)/better"),
        options: options)
      let after = try #require(upgraded.replacement?.worker)
      #expect(after.state == .ready && after.pluginVersion == "7.0.0")
      #expect(after.manifestVersion == before.pluginVersion)
    }
  }

  @Test func aGroupIsReplacedAsOneAction() async throws {
    let setup = Setups.upper(requiring: "kith.risk.v1.RiskEngine", more: "overlap: true")
    try await RunningProduct.run(setup) { product in
      try await product.settle()
      let restarted = try await product.host.restartWorkers(
        RestartWorkersRequest(names: ["odd"], withDependents: true), options: options)
      #expect(restarted.replacements.map(\.worker?.name) == ["odd", "upper"])
      #expect(restarted.replacements.map(\.worker?.generation) == [2, 2])
      let notes = try await product.log(of: "kithd").map(\.text)
      let ready = try #require(notes.firstIndex { $0.hasPrefix("odd.2: ready") })
      let started = try #require(notes.firstIndex { $0.hasPrefix("upper.2: started") })
      #expect(ready < started)
    }
  }
}

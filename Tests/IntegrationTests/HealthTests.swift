import Glibc
import HostContract
import KithRPC
import KithTesting
import RiskContract
import Testing

/// What workers tell of themselves, and what follows when they tell nothing.
@Suite struct HealthTests {
  @Test func aWorkerTellsThatAPartIsMissingAndThatItIsBack() async throws {
    try await RunningProduct.run(Setups.odd()) { product in
      try await product.settle()
      let health = try #require(try await product.worker("odd").health)
      #expect(health.started && health.ready && health.live)
      #expect(health.beats > 0)
      try await product.tell("degrade no model")
      let degraded = try await product.waitUntil("odd") { $0.health?.degradation == "no model" }
      #expect(degraded.state == .ready)
      #expect(degraded.reason == "degraded: no model")
      try await product.tell("degrade")
      try await product.waitUntil("odd") { $0.health?.degradation == "" }
    }
  }

  @Test func aStoppedWorkerIsFoundAndReplaced() async throws {
    try await RunningProduct.run(Setups.odd(more: "watchdog: 500ms")) { product in
      try await product.settle()
      try await product.kill("odd", signal: SIGSTOP)
      let worker = try await product.waitUntil("odd") { $0.state == .ready && $0.generation == 2 }
      #expect(worker.lastExit?.stuck == true)
      #expect(worker.lastExit?.description == "stuck: it has shown no progress for 500 ms")
      #expect(worker.restarts == 1)
      #expect(try await product.tell("hello") == 2)
    }
  }

  @Test func aWorkerWhoseThreadsAreAllHeldIsFoundAndReplaced() async throws {
    try await RunningProduct.run(Setups.odd(more: "watchdog: 1s")) { product in
      try await product.settle()
      await withTaskGroup { group in
        for _ in 0..<64 {
          group.addTask { _ = try? await product.tell("block") }
        }
      }
      let worker = try await product.waitUntil("odd") { $0.state == .ready && $0.generation == 2 }
      #expect(worker.lastExit?.stuck == true)
    }
  }

  @Test func aWorkerWithoutAWatchdogIsLeftAlone() async throws {
    try await RunningProduct.run(Setups.odd(more: "watchdog: off")) { product in
      try await product.settle()
      let worker = try await product.kill("odd", signal: SIGSTOP)
      Glibc.kill(worker.pid, SIGCONT)
      #expect(try await product.tell("hello") == 1)
    }
  }
}

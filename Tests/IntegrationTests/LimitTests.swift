import Glibc
import HostContract
import KithJSON
import KithRPC
import KithTesting
import RiskContract
import Testing

/// What a worker may use, and how its end is told when it wants more.
@Suite struct LimitTests {
  @Test func oneThatIsRefusedMemoryIsSaidToBeOutOfIt() async throws {
    let setup = Setups.odd(
      restart: "{ intensity: 5, budgets: { out_of_memory: { intensity: 0, period: 10m } } }",
      more: "limits: { memory: 64MiB }")
    try await RunningProduct.run(setup) { product in
      try await product.settle()
      await #expect(throws: RPCError.self) { try await product.tell("leak") }
      let worker = try await product.waitUntil("odd") { $0.state == .quarantined }
      #expect(worker.lastExit?.outOfMemory == true, "\(worker)")
      #expect(worker.lastExit?.description == "ran out of memory")
      #expect(worker.reason.contains("ran out of memory"))
    }
  }

  @Test func aKillFromOutsideIsNoCrash() async throws {
    try await RunningProduct.run(Setups.odd()) { product in
      try await product.settle()
      try await product.kill("odd")
      let worker = try await product.waitUntil("odd") { $0.state == .ready && $0.generation == 2 }
      #expect(
        worker.lastExit?.description.hasPrefix("killed by SIGKILL from outside") == true,
        "\(worker)")
      #expect(worker.lastExit?.outOfMemory == false)
    }
  }

  @Test func statusSaysWhatIsNotKept() async throws {
    try await RunningProduct.run(Setups.odd(more: "limits: { memory: 128MiB, cpu: 0.5 }")) {
      product in
      let status = try await product.settle()
      let doctor = try await Program.built(
        "kith", ["doctor", "--json", "--root", "\(product.folder.path)/r"]
      ).run()
      for degradation in status.degradations {
        let text = JSONValue.string(degradation).text()
        #expect(doctor.output.contains(text), "\(degradation): \(doctor)")
      }
      // A machine that keeps everything has nothing to say.
      if let memory = status.degradations.first(where: { $0.contains("memory") }) {
        #expect(
          memory
            == "no memory controller: limits.memory of odd is kept for the data of each process by itself"
        )
      }
    }
  }
}

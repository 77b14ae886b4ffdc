import HostContract
import KithClient
import KithRPC
import KithTesting
import Testing

/// A product whose time is virtual: `odd` ticks at each full hour, and fails at midnight.
@Suite struct ClockTests {
  private var setup: ProductSetup {
    var setup = Setups.odd(atStart: "tick")
    // 2026-11-20T20:30:00Z
    setup.hostOptions = ["--virtual-time", "1795206600000"]
    return setup
  }

  private func running(_ body: (RunningProduct) async throws -> Void) async throws {
    try await RunningProduct.run(setup) { product in
      try await product.settle()
      try await body(product)
    }
  }

  private func ticks(_ product: RunningProduct) async throws -> [String] {
    try await product.log(of: "odd").map(\.text).filter { $0.hasPrefix("tick at ") }
      .map { String($0.dropFirst("tick at ".count)) }
  }

  private func advance(_ product: RunningProduct, hours: Int64) async throws -> MoveClockResponse {
    try await product.host.moveClock(MoveClockRequest(move: .advanceMs(hours * 3_600_000)))
  }

  @Test func timePassesWhenItIsMovedAndStopsWhereSomethingIsDue() async throws {
    try await running { product in
      let answer = try await advance(product, hours: 3)
      #expect(answer.stops == 4 && answer.turns == 3)
      #expect(answer.elapsedMs == 3 * 3_600_000)
      try await product.waitForLine(of: "odd", "tick at 2026-11-20T23:00:00Z")
      let ticks = try await ticks(product)
      #expect(
        ticks == ["2026-11-20T21:00:00Z", "2026-11-20T22:00:00Z", "2026-11-20T23:00:00Z"])
      let clock = try await product.host.getClock(GetClockRequest())
      #expect(clock.wallMs == answer.wallMs && clock.elapsedMs == answer.elapsedMs)
    }
  }

  @Test func aWorkerThatDiesGoesOnWithTheTimeOfTheOthers() async throws {
    try await running { product in
      _ = try await advance(product, hours: 1)
      try await product.kill("odd")
      let answer = try await advance(product, hours: 1)
      #expect(answer.turns == 1)
      try await product.waitForLine(of: "odd", "tick at 2026-11-20T22:00:00Z")
    }
  }

  /// Also when it is started as one is that takes over what was left: without a word of virtual time.
  @Test func theNextHostGoesOnWithTheTimeOfTheOneBefore() async throws {
    let first = try await RunningProduct.start(setup)
    let second: RunningProduct
    do {
      try await first.settle()
      _ = try await advance(first, hours: 2)
      await first.killHost()
      second = try await RunningProduct.start(Setups.odd(atStart: "tick"), in: first.folder)
    } catch {
      first.abandon()
      throw error
    }
    first.connection.close()
    do {
      try await second.settle()
      let answer = try await advance(second, hours: 1)
      #expect(answer.turns == 1 && answer.elapsedMs == 3 * 3_600_000)
    } catch {
      second.abandon()
      throw error
    }
    try await second.stop()
  }

  @Test func aClockThatIsSetJumpsOnce() async throws {
    try await running { product in
      let kith = try await Program.built(
        "kith", ["clock", "set", "2026-11-21T07:10:00Z", "--root", "\(product.folder.path)/r"]
      ).run()
      #expect(kith.exitCode == 0, "\(kith)")
      #expect(
        kith.output == "2026-11-21T07:10:00Z: 1 turn of due work; next due 2026-11-21T08:00:00Z\n")
      // Back: nothing is done twice.
      let back = try await product.host.moveClock(
        MoveClockRequest(move: .setWallMs(1_795_206_600_000)))
      #expect(back.turns == 0 && back.elapsedMs == 0)
    }
  }

  @Test func workThatFailsStopsTheClocksAndIsNamed() async throws {
    try await running { product in
      let error = await #expect(throws: RPCError.self) { try await advance(product, hours: 24) }
      #expect(error?.code == .failedPrecondition)
      #expect(error?.message.contains("odd") == true, "\(String(describing: error))")
      // They stand where it failed.
      let clock = try await product.host.getClock(GetClockRequest())
      #expect(clock.wallMs == 1_795_219_200_000)
    }
  }

  @Test func theMachinesClocksAreNotMoved() async throws {
    try await RunningProduct.run(Setups.odd()) { product in
      try await product.settle()
      let kith = try await Program.built(
        "kith", ["clock", "advance", "1h", "--root", "\(product.folder.path)/r"]
      ).run()
      #expect(kith.exitCode != 0)
      #expect(kith.errors.contains("--virtual-time"), "\(kith)")
    }
  }
}

import HostContract
import KithClient
import KithJSON
import KithRPC
import KithTesting
import KithTime
import Testing
import TestingContract

/// A product whose time is virtual: `odd` ticks at each full hour, and fails at midnight.
@Suite struct ClockTests {
  private static let start = Instant("2026-11-20T20:30:00Z")

  private var setup: ProductSetup {
    Setups.odd(atStart: "tick").starting(at: Self.start)
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
    try await product.clock.advance(by: .seconds(hours * 3600))
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

  /// Also when it is started as one is that takes over what was left: without a word of virtual
  /// time.
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
      let back = try await product.clock.set(to: #require(Self.start))
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

  // MARK: Events

  /// `odd` tells something each hour, and `even`, which follows it, tells of that ten minutes
  /// later.
  private var following: ProductSetup {
    Setups.follower().configuring("odd", ["at_start": "tell"]).starting(at: Self.start)
  }

  @Test func timeWaitsForThoseThatFollowTheEventsOfOthers() async throws {
    try await RunningProduct.run(following) { product in
      try await product.settle()
      let answer = try await product.clock.advance(by: .seconds(48 * 3600))
      // Each hour, ten minutes after it, and at the end: had time gone on before `even` knew, it
      // would have been late.
      #expect(answer.stops == 97 && answer.turns == 96 && answer.absent.isEmpty)
      let told = try await product.events(AppendRequest.self, of: "odd")
      let retold = try await product.events(AppendRequest.self, of: "even")
      #expect(told.count == 48)
      #expect(retold.map(\.message) == told.map(\.message))
      #expect(retold.map(\.at) == told.map { $0.at + .seconds(600) })
    }
  }

  @Test func timeWaitsForOneThatWasKilled() async throws {
    try await RunningProduct.run(following) { product in
      try await product.settle()
      for round in 0..<6 {
        try await product.suffer(.kill(round.isMultiple(of: 2) ? "even" : "odd"))
        try await product.clock.advance(by: .seconds(3600))
        let told = try await product.events(AppendRequest.self, of: "odd")
        #expect(told.count == round + 1)
        let retold = try await product.events(AppendRequest.self, of: "even")
        #expect(retold.map(\.at) == told.map { $0.at + .seconds(600) })
      }
    }
  }

  @Test func nobodyIsWaitedForWhoseTellerIsStopped() async throws {
    try await RunningProduct.run(following) { product in
      try await product.settle()
      _ = try await product.host.stopWorker(StopWorkerRequest(name: "odd"))
      // It left at once: the subscription of `even` did not hold it up until its time was over.
      let words = try await product.log(of: "odd").map(\.text)
      #expect(words.last == "ended: exit code 0" && !words.contains("ended with calls in progress"))
      let answer = try await product.clock.advance(by: .seconds(3600))
      #expect(
        answer.absent == [AbsentEvents(worker: "even", service: "kith.testing.v1.Once")])
      let kith = try await Program.built(
        "kith", ["clock", "advance", "1h", "--root", "\(product.folder.path)/r"]
      ).run()
      #expect(
        kith.output.contains("even follows kith.testing.v1.Once, which nobody here tells of now"),
        "\(kith)")
    }
  }

  @Test func anEventThatCannotBeTakenInStopsTheClocksAndIsNamed() async throws {
    try await RunningProduct.run(following) { product in
      try await product.settle()
      _ = try await OnceClient(product.client(of: "odd")).append(
        AppendRequest(entry: "indigestible"), options: CallOptions(idempotencyKey: .random()))
      let error = await #expect(throws: RPCError.self) { try await advance(product, hours: 5) }
      #expect(error?.code == .failedPrecondition)
      #expect(error?.message.contains("even cannot take an event") == true, "\(error as Any)")
      let now = try await product.clock.now
      #expect(now == Self.start)
    }
  }
}

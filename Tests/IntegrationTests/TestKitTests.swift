import Glibc
import HostContract
import KithJSON
import KithManifest
import KithRPC
import KithTesting
import KithTime
import RiskContract
import Testing
import TestingContract

/// What the test kit promises to those who test products with it.
@Suite(.timeLimit(.minutes(1)))
struct TestKitTests {
  private let options = CallOptions(timeout: RunningProduct.patience, waitForReady: true)

  /// Has `odd` take an entry, once, however often that must be asked for.
  private func append(_ entry: String, _ product: RunningProduct) async throws(RPCError) {
    let once = OnceClient(product.client(of: "odd"))
    var call = CallOptions(timeout: .milliseconds(500), waitForReady: true)
    call.idempotencyKey = .random()
    while true {
      do throws(RPCError) {
        _ = try await once.append(AppendRequest(entry: entry), options: call)
        return
      } catch {
        switch error.code {
        // Its process died in the middle: nobody may say whether it was done.
        case .aborted: return
        // It was late, or lost, or spoilt.
        case .deadlineExceeded, .unavailable, .internal, .invalidArgument:
          guard !Task.isCancelled else { throw error }
        default: throw error
        }
      }
    }
  }

  // MARK: What is booted

  @Test func onlyWhatIsWantedIsStartedAndWhatItRequires() async throws {
    var setup = Setups.follower()
    setup.product += "  upper: {}\n"
    setup.plugins.append(
      Setups.plugin(
        name: "upper", executable: "misbehaving-worker", provides: "", postures: "personal"))
    let names = { (product: RunningProduct) in
      try await product.settle().workers.map(\.name).sorted()
    }
    try await RunningProduct.run(setup.only("even")) { product in
      let running = try await names(product)
      #expect(running == ["even", "odd"])
    }
    try await RunningProduct.run(setup.only("upper")) { product in
      let running = try await names(product)
      #expect(running == ["upper"])
    }
    await #expect(throws: TestingError.self) {
      try await RunningProduct.run(setup.only("nobody")) { _ in }
    }
  }

  @Test func aProductThatShipsIsBootedWithOtherConfiguration() async throws {
    let setup = ProductSetup(product: "boomer-buddy")
      .configuring("risk-engine", ["label_medium": 0.1, "label_high": 0.2])
    try await RunningProduct.run(setup) { product in
      let risk = RiskEngineClient(product.client(of: "risk-engine"))
      let answer = try await risk.analyze(
        AnalyzeRequest(text: "Your parcel waits, pay the customs fee here: bit.ly/x"),
        options: options)
      #expect(answer.label == .likelyScam, "\(answer)")
    }
  }

  /// The listing of the kit's article.
  @Test func aScamIsFoundAlsoByTheEngineThatComesAfterAKilledOne() async throws {
    let setup = ProductSetup(product: "boomer-buddy")
      .configuring("risk-engine", ["label_high": 0.5])
    try await RunningProduct.run(setup) { product in
      let risk = RiskEngineClient(product.client(of: "risk-engine"))
      try await product.suffer(.kill("risk-engine"))
      let call = CallOptions(timeout: .seconds(5), waitForReady: true)
      let text = "IRS: a warrant is out for your arrest. Pay $900 in gift cards today"
      let answer = try await risk.analyze(AnalyzeRequest(text: text), options: call)
      #expect(answer.label == .likelyScam)
    }
  }

  @Test func aProductIsMadeUpInCode() async throws {
    let setup = ProductSetup(
      workers: ["first": "odd", "second": "even"],
      plugins: [
        Setups.plugin(name: "odd", executable: "misbehaving-worker"),
        Setups.plugin(name: "even", executable: "misbehaving-worker", provides: ""),
      ])
    try await RunningProduct.run(setup) { product in
      let status = try await product.settle()
      #expect(status.workers.map(\.state) == [.ready, .ready])
    }
  }

  // MARK: Faults

  @Test func aWorkerThatStandsStillAnswersNothingUntilItGoesOn() async throws {
    try await RunningProduct.run(Setups.odd()) { product in
      try await product.settle()
      let short = CallOptions(timeout: .milliseconds(100), retry: .never)
      try await product.during(.freeze("odd")) {
        let error = await #expect(throws: RPCError.self) {
          try await RiskEngineClient(product.client(of: "odd"))
            .analyze(AnalyzeRequest(text: "x"), options: short)
        }
        #expect(error?.code == .deadlineExceeded)
      }
      let generation = try await product.tell("x")
      #expect(generation == 1)
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root may mount a small file system"))
  func aFullDiskIsAnsweredAndWhatWasAcknowledgedStays() async throws {
    try await RunningProduct.run(Setups.oddWithState().smallDisk(of: "odd")) { product in
      try await product.settle()
      let account = product.account(of: AppendRequest.self, by: "odd") { $0.entry }
      try await append("before", product)
      account.acknowledged("before")
      try await product.during(.fullDisk("odd")) {
        let error = await #expect(throws: RPCError.self) {
          // Far more than the disk holds.
          for _ in 0..<100_000 {
            try Task.checkCancellation()
            let entry = "\(UInt64.random(in: 0 ... .max))" + String(repeating: "x", count: 2000)
            var call = options
            call.idempotencyKey = .random()
            _ = try await OnceClient(product.client(of: "odd"))
              .append(AppendRequest(entry: entry), options: call)
          }
        }
        #expect(error?.code == .resourceExhausted, "\(error as Any)")
      }
      try await append("after", product)
      account.acknowledged("after")
    }
  }

  @Test func aClockThatIsSetIsSeenByAll() async throws {
    let start = try #require(Instant("2026-03-07T12:00:00Z"))
    try await RunningProduct.run(Setups.odd(atStart: "tick").starting(at: start)) { product in
      try await product.settle()
      try await product.suffer(.clockJump(by: .seconds(5 * 3600)))
      try await product.waitForLine(of: "odd", "tick at 2026-03-07T17:00:00Z")
      let time = try await product.host.getClock(GetClockRequest())
      #expect(time.elapsedMs == 0)
    }
  }

  @Test func whatComesTwiceIsDoneOnceWhereItHasAKey() async throws {
    try await RunningProduct.run(Setups.oddWithState().relayed()) { product in
      try await product.settle()
      let account = product.account(of: AppendRequest.self, by: "odd") { $0.entry }
      try await product.suffer(.duplicate(Edge(from: .test, to: "odd"), oneIn: 1))
      for number in 0..<50 {
        try await append("\(number)", product)
        account.acknowledged("\(number)")
      }
      let told = try await product.events(AppendRequest.self, of: "odd")
      #expect(told.count == 50)
    }
  }

  /// A connection that is slow, spoilt or lost ends calls, and no process.
  @Test(arguments: [
    Fault.slow(Edge(to: "odd"), by: .milliseconds(3)), .drop(Edge(to: "odd"), oneIn: 7),
    .duplicate(Edge(to: "odd"), oneIn: 2), .corrupt(Edge(to: "odd"), oneIn: 7),
  ])
  func noProcessDiesOfItsConnections(fault: Fault) async throws {
    var setup = Setups.follower().relayed()
    setup.seed = 4711
    try await RunningProduct.run(setup) { product in
      try await product.settle()
      try await product.during(fault) {
        for number in 0..<40 { try await append("\(number)", product) }
      }
      let status = try await product.status()
      #expect(status.workers.map(\.generation) == [1, 1], "\(status.workers)")
      try await append("last", product)
      let told = try await product.events(AppendRequest.self, of: "odd")
      #expect(told.last?.message.entry == "last" && told.count >= 41)
    }
  }

  @Test func aFaultOfOneEdgeLeavesOthersAlone() async throws {
    let setup = Setups.follower().relayed().starting(at: Instant("2026-03-07T12:00:00Z"))
    try await RunningProduct.run(setup) { product in
      try await product.settle()
      let edge = Edge(from: "even", to: "odd")
      try await product.during(.drop(edge, oneIn: 1)) {
        for number in 0..<20 {
          let once = CallOptions(
            timeout: RunningProduct.patience, idempotencyKey: .random(), retry: .never)
          _ = try await OnceClient(product.client(of: "odd")).append(
            AppendRequest(entry: "\(number)"), options: once)
        }
        // The other way is closed: time waits for `even`, and for longer than anybody here does.
        let advance = CallOptions(timeout: .milliseconds(300))
        let error = await #expect(throws: RPCError.self) {
          try await product.host.moveClock(
            MoveClockRequest(move: .advanceMs(1_000_000)), options: advance)
        }
        #expect(error?.code == .deadlineExceeded)
      }
      while try await product.events(AppendRequest.self, of: "even").count < 20 {
        try Task.checkCancellation()
        do throws(RPCError) {
          try await product.clock.advance(by: .seconds(600))
        } catch {
          // The move that was given up has not ended yet.
          guard error.code == .aborted else { throw error }
        }
      }
    }
  }

  /// All of it at once, as the seed has it: nothing is lost or doubled, and time comes to its end.
  @Test func whateverHappensNothingIsLostOrDoubled() async throws {
    let start = Instant("2026-03-07T12:00:00Z")
    let setup = Setups.follower().configuring("odd", ["at_start": "tell"])
      .starting(at: start).relayed()
    let (anybody, follower) = (Edge(to: "odd"), Edge(from: "even", to: "odd"))
    try await RunningProduct.run(setup) { product in
      try await product.settle()
      let account = product.account(of: AppendRequest.self, by: "even") { $0.entry }
      let choice: [Fault] = [
        .kill("odd"), .kill("even"), .freeze("even"), .slow(anybody, by: .milliseconds(1)),
        .drop(anybody, oneIn: 20), .duplicate(anybody, oneIn: 3), .corrupt(follower, oneIn: 20),
      ]
      for (round, fault) in product.faults(12, of: choice).enumerated() {
        try await product.during(fault) {
          for number in 0..<3 { try await append("\(round).\(number)", product) }
        }
        try await product.clock.advance(by: .seconds(3600))
      }
      let told = try await product.events(AppendRequest.self, of: "odd")
      for event in told where event.at + .seconds(600) <= (try await product.clock.now) {
        account.acknowledged(event.message.entry)
      }
    }
  }

  // MARK: Seeds

  @Test func theSameSeedChoosesTheSame() async throws {
    let choice = (0..<10).map { Fault.kill("\($0)") }
    var chosen: [[Fault]] = []
    for seed: Seed in [1, 1, 2] {
      var setup = Setups.odd()
      setup.seed = seed
      try await RunningProduct.run(setup) { chosen.append($0.faults(20, of: choice)) }
    }
    #expect(chosen[0] == chosen[1] && chosen[0] != chosen[2])
  }

  // MARK: What is found

  /// The checks of the end are no decoration: each finds what it is there for.
  @Test func whatIsLostOrDoubledIsFound() async throws {
    let product = try await RunningProduct.start(Setups.oddWithState())
    do {
      try await product.settle()
      try await append("one", product)
      try await product.event(AppendRequest.self, of: "odd") { $0.message.entry == "one" }
      try await product.checkAll()
      // Lost: promised, and not there.
      let lost = product.account(of: AppendRequest.self, by: "odd") { $0.entry }
      lost.acknowledged("two")
      let error = await #expect(throws: TestingError.self) { try await product.checkAll() }
      #expect(error?.description.contains("two") == true)
      // Doubled: two with one key.
      try await append("two", product)
      try await product.checkAll()
      _ = product.account(of: AppendRequest.self, by: "odd") { _ in "the same" }
      let doubled = await #expect(throws: TestingError.self) { try await product.checkAll() }
      #expect(doubled?.description.contains("2 times") == true)
    } catch {
      product.abandon()
      throw error
    }
    try await product.stop()
  }

  /// A store that was put back to an earlier state has lost what was seen.
  @Test func aLogThatGoesBackIsFound() async throws {
    // Its worker goes on without it, as it does where that is wanted.
    let product = try await RunningProduct.start(
      Setups.oddWithState(more: "store: { when_damaged: salvage }"))
    do {
      try await product.settle()
      try await append("one", product)
      _ = try await product.events(AppendRequest.self, of: "odd")
      _ = try await product.host.stopWorker(StopWorkerRequest(name: "odd"), options: options)
      let state = product.places.stateDirectory(worker: "odd")
      for name in TemporaryFolder.names(in: state) where name.hasPrefix("store.sqlite") {
        unlink("\(state)/\(name)")
      }
      _ = try await product.host.startWorker(StartWorkerRequest(name: "odd"), options: options)
      try await product.waitUntil("odd") { $0.state == .ready }
      let error = await #expect(throws: TestingError.self) { try await product.checkAll() }
      #expect(error?.description.contains("lost") == true, "\(error as Any)")
    } catch {
      product.abandon()
      throw error
    }
    try await product.stop()
  }

  // MARK: Failures

  @Test func aWorkerThatCannotStartIsAnErrorThatSaysWhyAndWhere() async throws {
    let here = "\(#fileID):"
    try await RunningProduct.run(Setups.odd(atStart: "throw")) { product in
      let error = await #expect(throws: TestingError.self) { try await product.settle() }
      #expect(error?.location?.hasPrefix(here) == true, "\(error as Any)")
      #expect(error?.message.contains("odd is quarantined") == true)
      #expect(error?.lastLogLines.contains { $0.hasPrefix("kithd | ") } == true)
      try await product.settle(allowsFailures: true)
    }
  }

  @Test func anEventThatNeverComesIsAnErrorAtOnceInVirtualTime() async throws {
    let start = try #require(Instant("2026-03-07T12:00:00Z"))
    try await RunningProduct.run(Setups.diary.starting(at: start)) { product in
      let diary = OnceClient(product.client(of: "diary"))
      // One whose call is still on its way is waited for.
      async let answer = diary.append(
        AppendRequest(entry: "Saturday"),
        options: CallOptions(waitForReady: true, idempotencyKey: .random()))
      try await product.event(AppendRequest.self, of: "diary") { $0.message.entry == "Saturday" }
      _ = try await answer
      let error = await #expect(throws: TestingError.self) {
        try await product.event(AppendRequest.self, of: "family") { $0.message.entry == "Saturday" }
      }
      let message = error?.message ?? ""
      #expect(message.contains("family published no such kith.testing.v1.AppendRequest"))
      #expect(message.contains("the next work is due at 2026-03-07T12:10:00"), "\(message)")
    }
  }

  @Test func aProcessThatIsLeftBehindIsFound() async throws {
    let product = try await RunningProduct.start(Setups.odd())
    try await product.settle()
    await product.killHost()
    await #expect(throws: TestingError.self) { try await product.stop() }
  }
}

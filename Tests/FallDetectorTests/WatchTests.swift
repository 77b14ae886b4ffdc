import FallDetectorDomain
import FallsContract
import Glibc
import KithAccess
import KithRPC
import KithStore
import KithTime
import Testing

@testable import FallDetectorService

/// Samples as devices send them. Numbers in names are those of the edge cases.
@Suite struct WatchTests {
  @Test func case1AFallIsFoundAndSilenceAlerts() async throws {
    let desk = try Desk()
    let answers = try await desk.watch(Movement.fall().batches(battery: 0.5))
    #expect(answers.map(\.sequence) == Array(1...UInt64(answers.count)))
    #expect(answers.allSatisfy { $0.refusal.isEmpty && $0.userId == "me" })
    let found = answers.flatMap(\.findings).filter { $0.verdict == .candidate }
    #expect(found.count == 1 && found.first?.phases.isEmpty == false)
    // The open case comes with each answer from then on.
    #expect(answers.last?.fallCase?.state == .awaitingConfirmation)
    let fallCase = try #require(try await desk.cases().first)
    #expect(fallCase.finding?.reason == found.first?.reason && fallCase.battery == 0.5)
    #expect((fallCase.accelG ?? 0) > 2.5)
    try await desk.pass(.seconds(61))
    #expect(try await desk.events() == ["suspected at 0", "no_answer at 60"])
  }

  @Test(arguments: [10, 50, 137, 4_096])
  func theBatchesMakeNoDifference(_ size: Int) async throws {
    let desk = try Desk()
    let answers = try await desk.watch(Movement.fall().batches(size: size))
    let found = answers.flatMap(\.findings).filter { $0.verdict == .candidate }
    #expect(found.count == 1)
    var whole = FallDetection(profile: SensorProfile(placement: .waist, rangeG: 8))
    let finding = Movement.fall().samples.lazy.map { sample in
      // As the contract carries them.
      AccelerationSample(
        nanoseconds: sample.nanoseconds, x: Double(Float(sample.x)), y: Double(Float(sample.y)),
        z: Double(Float(sample.z)))
    }.compactMap { whole.add($0) }.first { $0.verdict == .candidate }
    #expect(found.first?.atNs == finding?.nanoseconds)
  }

  @Test func case11BatchesThatComeTwiceOrLateHaveNoFurtherEffect() async throws {
    let desk = try Desk()
    var batches: [SampleBatch] = []
    for batch in Movement.fall().batches() { batches += [batch, batch] }
    batches.append(batches[0])
    let answers = try await desk.watch(batches)
    #expect(answers.allSatisfy { $0.refusal.isEmpty })
    #expect(answers.flatMap(\.findings).count { $0.verdict == .candidate } == 1)
    #expect(try await desk.cases().map(\.candidateCount) == [1])
  }

  @Test(arguments: [10, 50, 400])
  func aWorkerThatIsKilledDuringAMovementLosesNoFall(_ size: Int) async throws {
    let batches = Movement.fall(still: 9).batches(size: size)
    let undisturbed = try await Desk().watch(batches)
    let decided = try #require(
      undisturbed.firstIndex { $0.findings.contains { $0.verdict == .candidate } })
    // Killed after each answer in turn, until long after the decision.
    for last in stride(from: 0, through: min(decided + 3, batches.count - 1), by: max(1, 50 / size))
    {
      let desk = try Desk()
      let settled = try await desk.watch(Array(batches[...last])).last?.settledSequence ?? 0
      let next = try Desk(beside: desk)
      let kept = batches.filter { $0.sequence > settled }
      try await next.watch(kept)
      #expect(try await next.cases().count == 1, "killed after \(last), settled \(settled)")
      #expect(try await next.events() == ["suspected at 0"])
    }
  }

  @Test func aDeviceKeepsFourSecondsAndNoMoreThanItNeeds() async throws {
    var movement = Movement()
    movement.stand(60)
    let answers = try await Desk().watch(movement.batches(size: 50))
    #expect(
      answers.dropFirst(6).allSatisfy {
        ($0.sequence - 6...$0.sequence - 4).contains($0.settledSequence)
      })
    let fall = Movement.fall().batches(size: 50)
    let most = try await Desk().watch(fall).map { $0.sequence - $0.settledSequence }.max() ?? 0
    #expect((9...16).contains(most), "\(most)")
  }

  @Test func case11GapsJitterAndDisorderWithinABatch() async throws {
    let desk = try Desk()
    var dice = SeededGenerator(seed: 4)
    let batches = Movement.fall().batches().map { batch in
      var batch = batch
      var order = Array(batch.x.indices)
      // Jitter of 15 %, and neighbours that have changed places.
      batch.timesNs = order.map {
        Int64($0) * 20_000_000 + .random(in: 0...3_000_000, using: &dice)
      }
      for index in stride(from: 0, to: order.count - 1, by: 5) { order.swapAt(index, index + 1) }
      batch.timesNs = order.map { batch.timesNs[$0] }
      (batch.x, batch.y) = (order.map { batch.x[$0] }, order.map { batch.y[$0] })
      batch.z = order.map { batch.z[$0] }
      batch.intervalNs = 0
      return batch
    }
    let answers = try await desk.watch(batches)
    #expect(answers.allSatisfy { $0.refusal.isEmpty })
    #expect(try await desk.cases().count == 1)
  }

  @Test func case12AUnitThatCannotBeRightIsRefused() async throws {
    let metric = Movement.fall().batches(unit: .metresPerSecondSquared)
    let right = try Desk()
    #expect(try await right.watch(metric).allSatisfy { $0.refusal.isEmpty })
    #expect(try await right.cases().count == 1)
    // m/s2 that are said to be g, at rest and with an impact.
    let wrong = metric.map { batch in
      var batch = batch
      batch.unit = .standardGravity
      return batch
    }
    let desk = try Desk()
    let refused = try await desk.watch(wrong).filter { $0.refusal.contains("m/s2") }
    #expect(refused.count > 60)
    #expect(try await desk.cases().isEmpty)
    let impact = SampleBatch(
      sequence: 1, sessionId: "x", intervalNs: 20_000_000, x: [0, 41], y: [0, 0], z: [1, 1])
    #expect(try await desk.watch([impact]).first?.refusal.contains("40 g") == true)
    // g that are said to be m/s2.
    var still = Movement()
    still.lie(2)
    let tiny = still.batches(session: "y").map { batch in
      var batch = batch
      batch.unit = .metresPerSecondSquared
      return batch
    }
    #expect(try await desk.watch(tiny).allSatisfy { $0.refusal.contains("in g?") })
  }

  private static let refused: [(String, @Sendable (inout SampleBatch) -> Void)] = [
    ("session_id", { $0.sessionId = "" }),
    ("session_id", { $0.sessionId = .init(repeating: "s", count: 65) }),
    ("sequence", { $0.sequence = 0 }),
    ("x", { ($0.x, $0.y, $0.z) = ([], [], []) }),
    ("x", { $0.x = .init(repeating: 0, count: 4097) }),
    ("y", { $0.y.removeLast() }), ("z", { $0.z.append(1) }),
    ("sample 3", { $0.x[3] = .nan }), ("sample 0", { $0.z[0] = -.infinity }),
    ("sample 7", { $0.y[7] = 40.5 }),
    ("interval_ns", { $0.intervalNs = 0 }), ("interval_ns", { $0.intervalNs = .max }),
    ("interval_ns", { $0.intervalNs = 100_000_000 }),
    ("times_ns", { $0.timesNs = [1] }),
    ("times_ns", { $0.timesNs = .init(repeating: .min, count: 50) }),
    ("start_ns", { $0.startNs = .max }), ("range_g", { $0.rangeG = .nan }),
    ("range_g", { $0.rangeG = -2 }), ("battery", { $0.battery = .nan }),
    ("unit", { $0.unit = .init(rawValue: 9) }), ("user_id", { $0.userId = "a b" }),
  ]

  @Test(arguments: refused)
  func case13WhatNoSensorMeasuresIsRefusedAndTheStreamGoesOn(
    _ field: String, _ change: @Sendable (inout SampleBatch) -> Void
  ) async throws {
    let desk = try Desk()
    var movement = Movement()
    movement.stand(1)
    let good = movement.batches()[0]
    var bad = good
    change(&bad)
    let answers = try await desk.watch([bad, good])
    #expect(answers[0].refusal.hasPrefix(field + ":"), "\(answers[0].refusal)")
    #expect(answers[0].refusal.contains("expected"))
    #expect(answers[1].refusal.isEmpty && answers[1].sequence == 1)
  }

  @Test func samplesOfSomebodyElseAreRefusedAndOnesOwnAreTaken() async throws {
    let desk = try Desk()
    var movement = Movement()
    movement.stand(1)
    let answers = try await desk.watch(
      movement.batches(user: "ada") + movement.batches(user: "bob"), as: "bob")
    #expect(answers.map(\.refusal.isEmpty) == [false, true])
  }

  @Test func manyWearersGoOnOneStream() async throws {
    let desk = try Desk()
    let falls = (0..<20).map { Movement.fall(still: 20).batches(user: "user-\($0)") }
    var mixed: [SampleBatch] = []
    for second in falls[0].indices { mixed += falls.map { $0[second] } }
    let answers = try await desk.watch(mixed)
    #expect(answers.count == mixed.count)
    let open = try await desk.store.read { transaction in
      try transaction.count(of: StoredCase.self, under: CaseLedger.ownGrant)
    }
    #expect(open == 20)
  }

  @Test func ofTooManyWearersThoseWhoAreSilentAreForgotten() async throws {
    let wearers = Wearers(most: 640)
    for number in 0..<10_000 {
      let user = try #require(UserID("user-\(number)"))
      wearers.change(user) {
        $0.sessions.append(
          DeviceSession(id: "s", profile: SensorProfile(placement: .waist)))
      }
    }
    #expect(wearers.count <= 640)
    let last = try #require(UserID("user-9999"))
    #expect(wearers.change(last) { $0.sessions.count } == 1)
  }

  @Test func onlySoManyDevicesOfAWearerAreFollowed() async throws {
    let desk = try Desk()
    var movement = Movement()
    movement.stand(1)
    for number in 0..<10 { try await desk.watch(movement.batches(session: "s\(number)")) }
    let me = try #require(UserID("me"))
    #expect(desk.service.wearers.change(me) { $0.sessions.map(\.id) } == ["s6", "s7", "s8", "s9"])
  }

  // MARK: Recovery

  @Test func whoeverWalksAgainIsNotAlertedAndTheReasonIsKept() async throws {
    let desk = try Desk()
    var movement = Movement.fall(still: 20)
    movement.walk(10)
    try await desk.watch(movement.batches())
    let fallCase = try #require(try await desk.cases().first)
    #expect(fallCase.resolution == .recovered && fallCase.resolutionReason.contains("moved for 3"))
    try await desk.pass(.seconds(120))
    #expect(try await desk.events() == ["suspected at 0", "RECOVERED at 0"])
  }

  @Test func whoeverTurnsOverOnceHasNotRecovered() async throws {
    let desk = try Desk()
    var movement = Movement.fall(still: 20)
    movement.walk(1.5)
    movement.lie(10)
    try await desk.watch(movement.batches())
    #expect(try await desk.cases().first?.state == .awaitingConfirmation)
  }

  @Test func aGapIsNoMovement() {
    var watch = RecoveryWatch()
    var movement = Movement()
    movement.walk(2)
    #expect(movement.samples.allSatisfy { watch.add($0) == nil })
    var later = Movement(from: 60)
    later.walk(2)
    #expect(later.samples.allSatisfy { watch.add($0) == nil })
    var again = Movement(from: 62)
    again.walk(2)
    #expect(again.samples.contains { watch.add($0) != nil })
  }

  // MARK: Durability

  @Test func aBatchWhoseCaseCouldNotBeWrittenIsTakenAgain() async throws {
    let desk = try Desk()
    let batches = Movement.fall(still: 20).batches()
    // A first stream, so that the second needs nothing of the table until the fall.
    try await desk.watch([])
    try await desk.store.write { transaction in
      try transaction.execute("ALTER TABLE fall_case RENAME TO away")
    }
    let failure = await refusal { try await desk.watch(batches) }
    #expect(failure != nil)
    try await desk.store.write { transaction in
      try transaction.execute("ALTER TABLE away RENAME TO fall_case")
    }
    // The device sends all again that was not answered; what was, is known.
    let answers = try await desk.watch(batches)
    #expect(answers.flatMap(\.findings).count { $0.verdict == .candidate } == 1)
    #expect(try await desk.cases().count == 1)
  }

  /// Batches of any content, in any order, twice and with others between: each is answered, and
  /// none breaks what is known of the wearer.
  @Test(arguments: 0..<8) func whateverADeviceSendsIsAnswered(_ seed: UInt64) async throws {
    let desk = try Desk()
    var dice = SeededGenerator(seed: seed)
    let odd: [Float] = [.nan, .infinity, -.infinity, 0, 1, -1, 2, 16, 39.9, 40.1, 1e30, -1e-30]
    let times: [Int64] = [0, -1, 1, 20_000_000, .max, .min, 1 << 61, -(1 << 61)]
    let batches = (0..<500).map { _ in
      let count = [0, 1, 2, 50, 50, 50, 4_097].randomElement(using: &dice) ?? 1
      let isOdd = Int.random(in: 0..<3, using: &dice) == 0
      func values() -> [Float] {
        (0..<max(0, count - (Int.random(in: 0..<20, using: &dice) == 0 ? 1 : 0))).map { _ in
          isOdd ? odd.randomElement(using: &dice) ?? 0 : .random(in: -3...3, using: &dice)
        }
      }
      return SampleBatch(
        sequence: .random(in: 0...40, using: &dice),
        sessionId: ["a", "b", ""].randomElement(using: &dice) ?? "",
        startNs: times.randomElement(using: &dice) ?? 0,
        intervalNs: [0, 1, 20_000_000, .max].randomElement(using: &dice) ?? 0,
        timesNs: Bool.random(using: &dice)
          ? [] : (0..<count).map { _ in times.randomElement(using: &dice) ?? 0 },
        x: values(), y: values(), z: values(),
        unit: .init(rawValue: .random(in: 0...3, using: &dice)),
        rangeG: odd.randomElement(using: &dice) ?? 0,
        placement: .init(rawValue: .random(in: -1...5, using: &dice)))
    }
    let answers = try await desk.watch(batches)
    #expect(answers.map(\.sequence) == batches.map(\.sequence))
    // The wearer's next fall is found.
    try await desk.watch(Movement.fall(from: 1).batches(session: "next"))
    #expect(try await desk.cases().contains { $0.state == .awaitingConfirmation })
  }

  // MARK: Bursts

  private func burst(
    _ sequence: UInt64, _ shape: (Int) -> (Float, Float, Float)
  ) -> SampleBatch {
    let values = (0..<30).map(shape)
    return SampleBatch(
      sequence: sequence, sessionId: "b", startNs: Int64(sequence) * 10_000_000_000,
      intervalNs: 100_000_000, x: values.map(\.0), y: values.map(\.1), z: values.map(\.2))
  }

  @Test func case2BurstsAskAndOpenNoCase() async throws {
    let desk = try Desk()
    var answers: [ReportBurstResponse] = []
    for sequence in 1...UInt64(20) {
      let request = burst(sequence) { index in
        sequence <= 6
          ? (0.1, 0.1, 1 + 0.3 * sin(Float(index))) : (0.99, 0.05, 0.05 + 0.002 * Float(index % 2))
      }
      answers.append(try await desk.service.reportBurst(request, context: desk.call()))
      // One that comes again is answered as it was.
      #expect(
        try await desk.service.reportBurst(request, context: desk.call()) == answers.last)
    }
    #expect(answers.count { $0.askWearer } == 1)
    #expect(answers.first { $0.askWearer }?.reason.isEmpty == false)
    #expect(try await desk.cases().isEmpty)
    #expect(try await desk.events().isEmpty)
    let bad = await refusal {
      try await desk.service.reportBurst(burst(21) { _ in (.nan, 0, 0) }, context: desk.call())
    }
    #expect(bad?.code == .invalidArgument && bad?.fieldViolations.isEmpty == false)
  }

  // MARK: Replay

  @Test func aTraceIsReplayedAndDrawnAndNothingIsKept() async throws {
    let desk = try Desk()
    let lines = Movement.fall(still: 20).samples.map {
      "\($0.nanoseconds),\($0.x),\($0.y),\($0.z)\n"
    }
    let trace = Array(("time_ns,x,y,z\n" + lines.joined()).utf8)
    let answer = try await desk.service.replay(
      ReplayRequest(trace: trace, rangeG: 8, plot: true), context: desk.call())
    #expect(answer.sampleCount == UInt64(lines.count))
    #expect(abs(answer.rateHz - 50) < 0.01)
    #expect(answer.findings.contains { $0.verdict == .candidate })
    #expect(String(decoding: answer.plot, as: UTF8.self).contains("<svg"))
    #expect(try await desk.cases().isEmpty)
    #expect(
      try await desk.service.replay(ReplayRequest(trace: trace), context: desk.call()).plot.isEmpty)
    for (field, request) in [
      ("trace", ReplayRequest(trace: Array("hello".utf8))),
      ("trace", ReplayRequest(trace: .init(repeating: 0, count: (8 << 20) + 1))),
      ("rate_hz", ReplayRequest(trace: trace, rateHz: -1)),
      ("range_g", ReplayRequest(trace: trace, rangeG: .nan)),
    ] {
      let error = await refusal {
        try await desk.service.replay(request, context: desk.call())
      }
      #expect(error?.code == .invalidArgument && error?.fieldViolations.map(\.field) == [field])
    }
  }
}

import Glibc
import HostContract
import KithRPC
import KithTesting
import KithTime
import LockContract
import Testing

/// Lockr as it ships, with a real process.
@Suite struct LockrTests {
  /// How many ticks, each with a kill: `KITH_LOCK_KILLS=1000` for the long run.
  private static let kills = getenv("KITH_LOCK_KILLS").flatMap { Int(String(cString: $0)) } ?? 12

  private static var setup: ProductSetup {
    ProductSetup(product: "lockr").starting(at: Instant("2026-11-22T12:00:00Z"))
  }

  private static let options = CallOptions(timeout: RunningProduct.patience, waitForReady: true)

  @Test func aWindowAndItsEndOutliveTheirWorker() async throws {
    try await RunningProduct.run(Self.setup) { product in
      try await product.settle()
      let lock = UsageLockClient(product.client(of: "usage-lock"))
      let profile = Profile(mode: .extreme, apps: [GuardedApp(appId: "feed")])
      _ = try await lock.setProfile(SetProfileRequest(profile: profile), options: Self.options)
      // A PIN takes 32 MiB to be worked out, of what the worker may have.
      let pin = try await lock.setPin(SetPinRequest(pin: "2468"), options: Self.options)
      #expect(pin.hasPin)
      let challenge = try await lock.beginChallenge(
        BeginChallengeRequest(), options: Self.options)
      try await product.kill("usage-lock")
      try await product.waitUntil("usage-lock") { $0.state == .ready && $0.generation == 2 }
      let request = AnswerChallengeRequest(
        challengeId: challenge.id,
        transcript: "I'm stupid enough to waste more time, please give me another fifteen minutes")
      let answer = try await lock.answerChallenge(request, options: Self.options)
      #expect(answer.verdict?.isAccepted == true)
      let until = try #require(answer.status?.openUntilMs)
      try await product.kill("usage-lock")
      try await product.waitUntil("usage-lock") { $0.state == .ready && $0.generation == 3 }
      let open = OpenAppRequest(appId: "feed")
      let before = try await lock.openApp(open, options: Self.options)
      #expect(before.isOpen && before.untilMs == until)
      _ = try await product.host.moveClock(
        MoveClockRequest(move: .advanceMs(900_000)), options: Self.options)
      #expect(try await !lock.openApp(open, options: Self.options).isOpen)
      let activity = try await lock.listActivity(ListActivityRequest(), options: Self.options)
      // Both in one moment of virtual time.
      #expect(Set(activity.activities.map(\.type)) == ["unlocked", "profile-set", "pin-set"])
    }
  }

  /// Case 6: at each tick a device reports, and the worker is killed at any moment of that.
  @Test func aKillAtEveryTickLosesNothingAndCountsNothingTwice() async throws {
    let restart =
      "restart: { intensity: 1000, period: 1s, backoff: { shortest: 1ms, longest: 5ms } }"
    let setup = ProductSetup(
      product: """
        product: lockr
        title: Lockr
        posture: personal
        workers:
          usage-lock: { \(restart) }

        """
    ).starting(at: Instant("2026-11-22T12:00:00Z"))
    try await RunningProduct.run(setup) { product in
      try await product.settle()
      let lock = UsageLockClient(product.client(of: "usage-lock"))
      let profile = Profile(
        mode: .dailyBudget, dailyBudgetMs: 180 * 60_000, apps: [GuardedApp(appId: "feed")])
      _ = try await lock.setProfile(SetProfileRequest(profile: profile), options: Self.options)
      var random = SystemRandomNumberGenerator()
      for tick in 1...Self.kills {
        try await product.clock.advance(by: .seconds(3))
        let report = ReportUseRequest(
          deviceId: "phone", sentMs: 1_000_000 + Int64(tick) * 3_000,
          uses: [
            ForegroundUse(
              appId: "feed", startMs: 1_000_000 + Int64(tick - 1) * 3_000, lengthMs: 3_000)
          ])
        let pause = Duration.microseconds(Int.random(in: 0...4_000, using: &random))
        async let status = Self.untilAnswered {
          try await lock.reportUse(report, options: Self.options)
        }
        try await Task.sleep(for: pause)
        try await product.kill("usage-lock")
        #expect(try await status.usedMs == Int64(tick) * 3_000)
        let kept = try await Self.untilAnswered {
          try await lock.getStatus(GetStatusRequest(), options: Self.options)
        }
        #expect(kept.usedMs == Int64(tick) * 3_000)
      }
    }
  }

  /// Calls until it is answered, as a device does.
  private static func untilAnswered(
    _ call: @Sendable () async throws -> Status
  ) async throws -> Status {
    while true {
      do {
        return try await call()
      } catch let error as RPCError where error.code == .unavailable {
        continue
      }
    }
  }
}

import HostContract
import KithRPC
import KithTesting
import KithTime
import LockContract
import Testing

/// Lockr as it ships, with a real process.
@Suite struct LockrTests {
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
      #expect(Set(activity.activities.map(\.type)) == ["unlocked", "profile-set"])
    }
  }
}

import Foundation
import Glibc
import HostContract
import KithRPC
import KithTesting
import KithTime
import LockContract
import Testing

/// Lockr on this machine: a real program that is frozen when its minute is used up.
@Suite struct LockrProgramTests {
  private static let options = CallOptions(timeout: RunningProduct.patience, waitForReady: true)

  private func setup(_ program: GuardedProgram, grants: Bool = true) -> ProductSetup {
    ProductSetup(
      product: """
        product: lockr
        title: Lockr
        posture: personal
        workers:
          usage-lock:
            config: { watch_programs: true }
            \(grants ? program.grant : "")

        """
    ).starting(at: Instant("2026-11-22T12:58:00Z"))
  }

  private func profile(_ program: GuardedProgram) -> SetProfileRequest {
    SetProfileRequest(
      profile: Profile(
        mode: .hourlyRation, windowMs: 60_000, apps: [GuardedApp(appId: program.path)]))
  }

  private func run(
    _ program: GuardedProgram,
    _ body: @escaping @Sendable (RunningProduct, UsageLockClient) async throws -> Void
  ) async throws {
    try await RunningProduct.run(setup(program)) { product in
      try await product.settle()
      let lock = UsageLockClient(product.client(of: "usage-lock"))
      _ = try await lock.setProfile(profile(program), options: Self.options)
      try await product.clock.advance(by: .seconds(1))
      try await body(product, lock)
    }
  }

  @Test func aProgramIsFrozenWhenItsMinuteIsUsedUpAndGoesOnWhenTheWindowOpens() async throws {
    let program = try GuardedProgram()
    // Another's copy of it is nobody's business.
    let other =
      GuardedProgram.account == nil ? nil : try GuardedProgram(as: "daemon", like: program)
    try await run(program) { product, lock in
      try await program.wait { $0.isStopped }
      _ = try await lock.unlock(UnlockRequest(), options: Self.options)
      try await product.clock.advance(by: .seconds(1))
      try await program.wait { !$0.isStopped }
      try await product.clock.advance(by: .seconds(58))
      #expect(!program.isStopped)
      try await product.clock.advance(by: .seconds(2))
      try await program.wait { $0.isStopped }
      // The next hour's window, after a restart of the worker.
      try await product.kill("usage-lock")
      try await product.waitUntil("usage-lock") { $0.state == .ready && $0.generation == 2 }
      try await product.clock.advance(by: .seconds(60))
      #expect(program.isStopped)
      _ = try await lock.unlock(UnlockRequest(), options: Self.options)
      try await product.clock.advance(by: .seconds(1))
      try await program.wait { !$0.isStopped }
      let activity = try await lock.listActivity(ListActivityRequest(), options: Self.options)
      #expect(
        activity.activities.map(\.type).filter { $0 == "frozen" || $0 == "continued" }
          == ["continued", "frozen", "continued", "frozen"])
    }
    #expect(other?.isStopped != true)
  }

  @Test func aProgramThatIsLetGoOnByHandIsEndedAtLast() async throws {
    let program = try GuardedProgram()
    try await run(program) { product, _ in
      for _ in 0..<3 {
        try await program.wait { $0.isStopped }
        #expect(program.isRunning)
        kill(program.pid, SIGCONT)
        try await program.wait { !$0.isStopped }
        try await product.clock.advance(by: .seconds(1))
      }
      try await program.wait { !$0.isRunning }
    }
  }

  @Test func aWorkerWithoutTheGrantSeesNoProgram() async throws {
    let program = try GuardedProgram()
    try await RunningProduct.run(setup(program, grants: false)) { product in
      try await product.settle()
      let lock = UsageLockClient(product.client(of: "usage-lock"))
      _ = try await lock.setProfile(profile(program), options: Self.options)
      try await product.clock.advance(by: .seconds(2))
      #expect(!program.isStopped)
      let lines = try await product.log(of: "usage-lock").map { "\($0.text) \($0.fields)" }
      #expect(lines.contains { $0.contains("PERMISSION_DENIED") }, "\(lines)")
    }
  }

  @Test func theDemonstrationPrintsWhatTheManualShows() async throws {
    let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let kith = "\(try Program.builtFolder())/kith"
    let outcome = try await Program("/bin/bash", ["\(root)/tools/lock-demo", kith]).run()
    try #require(outcome.exitCode == 0, "\(outcome)")
    let page = try String(contentsOfFile: "\(root)/Plugins/UsageLock/README.md", encoding: .utf8)
    #expect(page.contains("$ tools/lock-demo\n\(outcome.output)```"), "\(outcome)")
  }

  /// Sixty-fold time, from the command line.
  @Test func timeCanPassSixtyFold() async throws {
    let home = try Home()
    let up = try await home.kith("up", "lockr", "--virtual-time", "2026-11-22T12:00:00Z")
    try #require(up.exitCode == 0, "\(up)")
    let set = try await home.kith(
      "usage-lock", "set", "--json-request",
      #"{"profile": {"mode": "DAILY_BUDGET", "dailyBudgetMs": "300000", "apps": [{"appId": "feed"}]}}"#
    )
    #expect(set.exitCode == 0, "\(set)")
    let simulate = try await home.kith("usage-lock", "simulate", "feed")
    #expect(simulate.exitCode == 0, "\(simulate)")
    let run = try await home.kith("clock", "run", "--times", "600", "--for", "299s")
    #expect(run.output == "2026-11-22T12:04:59Z\n", "\(run)")
    #expect(try await home.kith("usage-lock", "open", "feed", "--json").output.contains("true"))
    _ = try await home.kith("clock", "run", "--times", "60", "--for", "2s")
    let open = try await home.kith("usage-lock", "open", "feed", "--json")
    #expect(open.output.contains("BUDGET_USED_UP"), "\(open)")
    for wrong in [["--times", "0", "--for", "1s"], ["--for", "soon"], []] {
      let refused = try await home.kith(["clock", "run"] + wrong)
      #expect(refused.exitCode == 64, "\(refused)")
    }
    let clock = try await home.kith("usage-lock", "clock")
    #expect(clock.output.contains("counted by the clock of this boot"), "\(clock)")
    let file = "\(home.folder.path)/lock.json"
    let exported = try await home.kith("usage-lock", "export", "--configuration", file)
    #expect(exported.exitCode == 0, "\(exported)")
    let imported = try await home.kith("usage-lock", "import", file)
    #expect(imported.exitCode == 0, "\(imported)")
    #expect(try await home.kith("down").exitCode == 0)
  }
}

import KithRPC
import KithTime
import LockContract
import Testing

@testable import UsageLockService

/// The watcher over a real store: what it charges, writes and survives.
@Suite struct ProgramLooksTests {
  private let programs = ScriptedPrograms()

  private func watching() throws -> LockSettings {
    try LockSettings(watchesPrograms: true)
  }

  /// Lets a second pass and looks, so many times.
  private func look(_ desk: Desk, _ looks: ProgramLooks, _ count: Int = 1) async throws {
    for _ in 0..<count {
      desk.tick(1)
      #expect(try await looks.nextDue() == desk.reading.wall)
      try await looks.run()
      #expect(try await looks.nextDue() == desk.reading.wall + .seconds(1))
    }
  }

  private func looks(_ desk: Desk) -> ProgramLooks {
    desk.service.looks(at: programs) { _ in }
  }

  @Test func aProgramIsChargedFrozenWhenItsBudgetIsUsedUpAndGoesOnTheNextDay() async throws {
    let desk = try Desk(settings: watching())
    try await desk.set(.dailyBudget) {
      $0.dailyBudgetMs = 5 * 60_000
      $0.apps = [GuardedApp(appId: "/usr/games/tux")]
    }
    programs.start("/usr/games/tux")
    let looks = looks(desk)
    try await looks.run()
    try await look(desk, looks, 299)
    #expect(try await desk.status().usedMs == 299_000)
    #expect(programs.isStopped == false)
    try await look(desk, looks)
    #expect(programs.isStopped == true)
    // Frozen it is not charged.
    try await look(desk, looks, 60)
    #expect(try await desk.status().usedMs == 300_000)
    #expect(try await desk.events() == ["ProgramWarned", "ProgramEnforced", "BudgetUsedUp"])
    let status = try await desk.status()
    desk.tick(Int((status.dayEndsMs - status.nowMs) / 1000))
    try await looks.run()
    #expect(programs.isStopped == false)
    #expect(try await desk.activity().prefix(1) == ["continued"])
  }

  @Test func aWindowThatOpensLetsAFrozenProgramGoOnAndItsEndFreezesIt() async throws {
    let desk = try Desk(settings: watching())
    try await desk.set(.hourlyRation) { $0.apps = [GuardedApp(appId: "game.scope")] }
    programs.start("game.scope")
    let looks = looks(desk)
    try await looks.run()
    #expect(programs.isStopped == true)
    try await desk.unlock()
    try await look(desk, looks)
    #expect(programs.isStopped == false)
    desk.tick(900)
    try await looks.run()
    #expect(programs.isStopped == true)
  }

  @Test func whatIsFrozenOutlivesTheWorkerAndAWatchThatIsTurnedOffLetsItGo() async throws {
    let desk = try Desk(settings: watching())
    try await desk.set(.extreme) { $0.apps = [GuardedApp(appId: "game.scope")] }
    programs.start("game.scope")
    try await looks(desk).run()
    #expect(programs.isStopped == true)
    let next = try Desk(settings: watching(), beside: desk)
    let later = looks(next)
    try await look(next, later)
    #expect(programs.isStopped == true)
    try next.service.use(LockSettings())
    next.tick(1)
    #expect(try await later.nextDue() == next.reading.wall)
    try await later.run()
    #expect(programs.isStopped == false)
    #expect(try await later.nextDue() == nil)
  }

  @Test func nobodyIsWatchedUnlessItIsSaid() async throws {
    let desk = try Desk()
    try await desk.set(.extreme) { $0.apps = [GuardedApp(appId: "game.scope")] }
    programs.start("game.scope")
    let looks = looks(desk)
    #expect(try await looks.nextDue() == nil)
    try await looks.run()
    #expect(programs.isStopped == false)
  }

  @Test func aHostThatRefusesIsAskedAgainInAMinute() async throws {
    let desk = try Desk(settings: watching())
    try await desk.set(.extreme) { $0.apps = [GuardedApp(appId: "game.scope")] }
    let looks = looks(desk)
    programs.refusal.value = RPCError(.permissionDenied, "no grant")
    try await looks.run()
    #expect(try await looks.nextDue() == desk.reading.wall + .seconds(60))
    // One that only cannot answer now is asked at the next look.
    programs.refusal.value = RPCError(.unavailable, "starting")
    desk.tick(60)
    try await looks.run()
    #expect(try await looks.nextDue() == desk.reading.wall + .seconds(1))
  }

  // MARK: Test mode

  @Test func aSimulatedAppMakesTheSameTransitions() async throws {
    let real = try Desk(settings: watching())
    let simulated = try Desk(isVirtual: true)
    for desk in [real, simulated] {
      try await desk.set(.dailyBudget) {
        $0.dailyBudgetMs = 5 * 60_000
        $0.apps = [GuardedApp(appId: "feed")]
      }
    }
    programs.start("feed")
    _ = try await simulated.service.simulateForeground(
      SimulateForegroundRequest(appId: "feed"), context: simulated.call())
    for desk in [real, simulated] {
      let looks = looks(desk)
      try await looks.run()
      try await look(desk, looks, 400)
      let status = try await desk.status()
      desk.tick(Int((status.dayEndsMs - status.nowMs) / 1000))
      try await looks.run()
    }
    #expect(try await real.events() == simulated.events())
    #expect(try await real.activity().sorted() == simulated.activity().sorted())
    #expect(try await real.status() == simulated.status())
    #expect(
      await refusal {
        try await real.service.simulateForeground(
          SimulateForegroundRequest(appId: "feed"), context: real.call())
      }?.code == .failedPrecondition)
  }
}

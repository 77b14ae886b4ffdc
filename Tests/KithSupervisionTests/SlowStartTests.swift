import KithManifest
import KithSupervision
import SupervisionSimulation
import Testing

/// Workers that never become ready, however long each of their tries takes.
@Suite struct SlowStartTests {
  /// A worker that no process of becomes ready: how many are tried before its quarantine, at most
  /// `limit`.
  private func tries(
    of worker: WorkerSpecification, dyingOf end: ProcessEnd, afterKill: Bool, limit: Int,
    seed: UInt64
  ) throws -> (tries: Int, world: SimulatedWorld) {
    var world = try SimulatedWorld([worker], seed: seed)
    world.send(.timePassed)
    var tries = 0
    while world.supervisor.snapshot(of: worker.name)?.state != .quarantined, tries < limit {
      tries += 1
      let incarnation = Incarnation(worker: worker.name, generation: UInt64(tries))
      world.happen(.stepSucceeds(incarnation))
      // Its time runs out, and with the next deadline its time to leave, if it takes no SIGTERM.
      world.advanceToNextDeadline()
      if afterKill { world.advanceToNextDeadline() }
      world.happen(.ends(incarnation, end))
      if world.supervisor.snapshot(of: worker.name)?.state == .backingOff {
        world.advanceToNextDeadline()
      }
    }
    return (tries, world)
  }

  @Test func aWorkerThatTakesAllItsTimeToFailIsQuarantinedAfterAsManyTriesAsItsBudgetSays() throws {
    // 5 in 30 s, and 10 s each: within any 30 s there are no more than three.
    let (tries, world) = try tries(
      of: WorkerSpecification(name: "slow"), dyingOf: .signal(15), afterKill: false, limit: 20,
      seed: 7)
    #expect(tries == 6)
    let snapshot = try #require(world.supervisor.snapshot(of: "slow"))
    #expect(
      snapshot.reason
        == "restarted 5 times because it did not become ready within 282 s, then: "
        + "not ready within 10 s: its process does not listen yet")
    let use = try #require(world.supervisor.budgetUse(of: "slow", at: world.now))
    #expect(use.used == 5 && use.budget.intensity == 5)
    #expect(world.violations == [])
  }

  @Test func howeverLongATryTakesAndWhateverTheBudget() throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<300 {
      let intensity = Int.random(in: 0...8, using: &generator)
      let shortest = Duration.milliseconds(Int.random(in: 1...1000, using: &generator))
      let backoff = Backoff(
        shortest: shortest,
        longest: shortest + .milliseconds(Int.random(in: 0...60_000, using: &generator)))
      let start = Duration.milliseconds(Int.random(in: 1...120_000, using: &generator))
      let worker = WorkerSpecification(
        name: "slow",
        restart: RestartPolicy(
          intensity: intensity,
          period: .seconds(Int.random(in: 1...60, using: &generator)), backoff: backoff),
        limits: TimeLimits(start: start))
      let afterKill = Bool.random(using: &generator)
      let (tries, world) = try tries(
        of: worker, dyingOf: .signal(afterKill ? 9 : 15), afterKill: afterKill,
        limit: intensity + 5, seed: UInt64.random(in: .min ... .max, using: &generator))
      #expect(tries == intensity + 1, "\(worker)")
      #expect(world.violations == [], "\(worker)")
    }
  }

  @Test func aBudgetThatTheManifestGivesToSlowStartsStands() throws {
    // Two in a second: with 10 s each there is never more than one.
    let worker = WorkerSpecification(
      name: "slow",
      restart: RestartPolicy(
        budgets: [.notReady: RestartPolicy.Budget(intensity: 2, period: .seconds(1))]))
    let (tries, _) = try tries(
      of: worker, dyingOf: .signal(15), afterKill: false, limit: 12, seed: 7)
    #expect(tries == 12)
  }

  @Test func crashesAreNotCountedForLongerThanThePeriod() throws {
    var world = try SimulatedWorld(
      [WorkerSpecification(name: "risk", restart: RestartPolicy(intensity: 2))], seed: 7)
    world.send(.timePassed)
    for _ in 0..<10 {
      world.makeReady("risk")
      // Each 16 s: two in any 30 s.
      world.pass(.seconds(16))
      world.die("risk")
      if world.supervisor.snapshot(of: "risk")?.state == .backingOff {
        world.advanceToNextDeadline()
      }
      #expect(world.supervisor.snapshot(of: "risk")?.state == .starting)
    }
  }
}

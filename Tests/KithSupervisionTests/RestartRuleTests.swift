import KithManifest
import KithSupervision
import SupervisionSimulation
import Testing

/// The rules by which a worker that ended is started again, one by one.
@Suite struct RestartRuleTests {
  private let first = Incarnation(worker: "risk", generation: 1)

  private func world(
    _ restart: RestartPolicy = .standard, overlap: Bool = false
  ) throws -> SimulatedWorld {
    var world = try SimulatedWorld(
      [WorkerSpecification(name: "risk", restart: restart, overlap: overlap)], seed: 7)
    world.send(.timePassed)
    return world
  }

  private func state(_ world: SimulatedWorld) -> WorkerSnapshot.State? {
    world.supervisor.snapshot(of: "risk")?.state
  }

  /// Lets the worker become ready and die, again and again until it is in quarantine.
  private func quarantine(_ world: inout SimulatedWorld) {
    for _ in 0..<20 where state(world) != .quarantined {
      world.makeReady("risk")
      world.die("risk")
      if state(world) == .backingOff { world.advanceToNextDeadline() }
    }
  }

  // MARK: Budgets and quarantine

  @Test func aRestartCountsForLessThanItsPeriod() throws {
    for (milliseconds, expected) in [
      (29_999, WorkerSnapshot.State.quarantined), (30_000, .starting), (30_001, .starting),
    ] {
      var world = try world(RestartPolicy(intensity: 1, period: .seconds(30)))
      world.makeReady("risk")
      world.die("risk")
      world.makeReady("risk")
      world.pass(.milliseconds(milliseconds))
      world.die("risk")
      #expect(state(world) == expected, "\(milliseconds) ms after the restart")
    }
  }

  @Test func aRetryThatRunsHealthilyHasTheWholeBudgetAgain() throws {
    var world = try world(RestartPolicy(intensity: 1, period: .seconds(86_400)))
    quarantine(&world)
    world.advanceToNextDeadline()
    world.makeReady("risk")
    world.pass(.seconds(10))
    world.die("risk")
    // It is no retry any more, and what was before the quarantine is forgotten though the period
    // still runs.
    #expect(state(world) == .starting)
    world.makeReady("risk")
    world.die("risk")
    let snapshot = try #require(world.supervisor.snapshot(of: "risk"))
    #expect(snapshot.state == .quarantined)
    #expect(snapshot.reason.hasPrefix("restarted 1 times within"), "\(snapshot.reason)")
  }

  @Test func aQuarantineAfterAHealthyRunIsAShortOneAgain() throws {
    var world = try world(RestartPolicy(intensity: 0))
    for _ in 0..<3 {
      quarantine(&world)
      #expect(world.supervisor.snapshot(of: "risk")?.nextStart == world.now + .seconds(60))
      world.advanceToNextDeadline()
      world.makeReady("risk")
      world.pass(.seconds(10))
    }
  }

  @Test func aRunThatWasHealthyUntilItGotStuckIsAHealthyRun() throws {
    var world = try world()
    for _ in 0..<3 {
      world.makeReady("risk")
      // Silent for all of its 10 s, which is how long a healthy run takes.
      world.advanceToNextDeadline()
      world.advanceToNextDeadline()
      let stuck = try #require(world["risk"]).incarnation
      #expect(world["risk"]?.isKilled == true)
      world.happen(.ends(stuck, .signal(9)))
      #expect(state(world) == .starting)
    }
  }

  // MARK: Kinds

  @Test func aTransientWorkerThatWasEndedSinceItWasNotReadyHasNotFinished() throws {
    var world = try world(RestartPolicy(kind: .transient))
    world.happen(.stepSucceeds(first))
    world.advanceToNextDeadline()
    #expect(world["risk"]?.isTerminated == true)
    world.happen(.ends(first, .exitCode(0)))
    #expect(state(world) == .starting)
  }

  @Test func aTemporaryWorkerThatNeverWasReadyIsTriedAgain() throws {
    var world = try world(RestartPolicy(kind: .temporary))
    world.happen(.stepSucceeds(first))
    world.happen(.stepSucceeds(first))
    world.happen(.stepFails(first, retryable: true))
    world.happen(.ends(first, .exitCode(1)))
    #expect(state(world) == .starting)
  }

  // MARK: What somebody asks for

  @Test func whoIsMerelyRequiredKeepsItsPace() throws {
    var world = try SimulatedWorld(
      [
        WorkerSpecification(name: "risk"),
        WorkerSpecification(name: "top", requires: [Requirement("risk")]),
      ], seed: 7)
    world.send(.timePassed)
    for _ in 0..<2 {
      world.makeReady("risk")
      world.die("risk")
    }
    #expect(state(world) == .backingOff)
    world.send(.wantedUp(worker: "top"))
    #expect(state(world) == .backingOff)
    world.send(.wantedUp(worker: "risk"))
    #expect(state(world) == .starting)
  }

  @Test func anEndThatSomebodyHasAskedForMeanwhileIsNoFailure() throws {
    var world = try world(RestartPolicy(intensity: 0))
    world.happen(.stepSucceeds(first))
    world.advanceToNextDeadline()
    #expect(world["risk"]?.isTerminated == true)
    world.send(.restartAsked(workers: ["risk"]))
    world.happen(.ends(first, .signal(15)))
    #expect(state(world) == .starting)
  }

  @Test func aWorkerThatIsAnotherOneNowLeavesItsQuarantine() throws {
    var world = try world(RestartPolicy(intensity: 0))
    quarantine(&world)
    world.send(.specified(try WorkerGraph([WorkerSpecification(name: "risk", revision: 1)])))
    #expect(state(world) == .starting)
    #expect(world["risk"]?.revision == 1)
  }
}

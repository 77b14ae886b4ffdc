import KithManifest
import KithSupervision
import SupervisionSimulation
import Testing

/// What the supervisor decides, case by case.
@Suite struct SupervisorTests {
  @Test func aWorkerIsLedStepByStepUntilItIsReady() throws {
    var supervisor = try Supervisor([WorkerSpecification(name: "risk")], jitterSeed: 1)
    let first = Incarnation(worker: "risk", generation: 1)
    #expect(supervisor.handle(.timePassed, at: .start) == [.spawn(first, revision: 0)])
    #expect(supervisor.handle(.stepCompleted(first, .spawn), at: .start) == [])
    for (done, next) in [
      (StartStep.listen, StartStep.handshake), (.handshake, .configure), (.configure, .start),
      (.start, .watch),
    ] {
      #expect(
        supervisor.handle(.stepCompleted(first, done), at: .start) == [.perform(next, first)])
    }
    let last = supervisor.handle(.stepCompleted(first, .watch), at: .start)
    #expect(last.contains(.publish(first)))
    #expect(supervisor.snapshot(of: "risk")?.state == .ready)
    #expect(supervisor.isSettled)
  }

  @Test func generationsGoOnWhereAnEarlierHostLeftOff() throws {
    var supervisor = try Supervisor(
      [WorkerSpecification(name: "risk", lastGeneration: 41)], jitterSeed: 1)
    #expect(
      supervisor.handle(.timePassed, at: .start)
        == [.spawn(Incarnation(worker: "risk", generation: 42), revision: 0)])
  }

  @Test func whatIsRequiredIsReadyFirst() throws {
    var world = try SimulatedWorld(
      [
        WorkerSpecification(name: "top", requires: [Requirement("middle")]),
        WorkerSpecification(name: "middle", requires: [Requirement("base")]),
        WorkerSpecification(name: "base"),
      ], seed: 1)
    #expect(world.supervisor.startOrder == ["base", "middle", "top"])
    world.send(.timePassed)
    #expect(world.allProcesses.map(\.incarnation.worker) == ["base"])
    #expect(world.supervisor.snapshot(of: "top")?.reason == "waits for middle")
    world.makeReady("base")
    #expect(world.allProcesses.map(\.incarnation.worker) == ["base", "middle"])
    world.makeReady("middle")
    world.makeReady("top")
    #expect(world.supervisor.isSettled)
    #expect(world.violations == [])
  }

  @Test func theFirstRestartHappensAtOnceAndTheNextOnesWaitLongerAndLonger() throws {
    var world = try SimulatedWorld([WorkerSpecification(name: "risk")], seed: 7)
    world.send(.timePassed)
    world.makeReady("risk")
    world.die("risk")
    #expect(world.supervisor.snapshot(of: "risk")?.state == .starting)
    for full in [Duration.milliseconds(100), .milliseconds(200), .milliseconds(400)] {
      world.makeReady("risk")
      world.die("risk")
      let snapshot = try #require(world.supervisor.snapshot(of: "risk"))
      #expect(snapshot.state == .backingOff)
      let wait = try #require(snapshot.nextStart) - world.now
      #expect(wait >= full / 2 && wait <= full)
      world.advanceToNextDeadline()
      #expect(world.supervisor.snapshot(of: "risk")?.state == .starting)
    }
    #expect(world.supervisor.snapshot(of: "risk")?.restarts == 4)
  }

  @Test func aHealthyRunMakesTheNextRestartImmediateAgain() throws {
    var world = try SimulatedWorld([WorkerSpecification(name: "risk")], seed: 7)
    world.send(.timePassed)
    world.makeReady("risk")
    world.die("risk")
    world.makeReady("risk")
    world.pass(.seconds(10))
    world.die("risk")
    #expect(world.supervisor.snapshot(of: "risk")?.state == .starting)
  }

  @Test func restartBudgetIsSpentWithinPeriod() throws {
    var world = try SimulatedWorld(
      [WorkerSpecification(name: "risk", restart: RestartPolicy(intensity: 2))], seed: 7)
    world.send(.timePassed)
    for _ in 0..<2 {
      world.makeReady("risk")
      world.die("risk")
      if world.supervisor.snapshot(of: "risk")?.state == .backingOff {
        world.advanceToNextDeadline()
      }
    }
    world.makeReady("risk")
    world.die("risk")
    var snapshot = try #require(world.supervisor.snapshot(of: "risk"))
    #expect(snapshot.state == .quarantined)
    #expect(snapshot.reason == "restarted 2 times within 30 s, then: killed by SIGKILL")
    #expect(snapshot.nextStart == world.now + .seconds(60))
    #expect(world.supervisor.isSettled)

    // The retry that comes by itself has one try; the quarantine after it is twice as long.
    world.advanceToNextDeadline()
    #expect(world.supervisor.snapshot(of: "risk")?.state == .starting)
    world.makeReady("risk")
    world.die("risk")
    snapshot = try #require(world.supervisor.snapshot(of: "risk"))
    #expect(snapshot.state == .quarantined)
    #expect(snapshot.nextStart == world.now + .seconds(120))

    // Somebody who asks for it is served at once, with a new budget.
    world.send(.wantedUp(worker: "risk"))
    world.makeReady("risk")
    world.die("risk")
    #expect(world.supervisor.snapshot(of: "risk")?.state == .starting)
    #expect(world.violations == [])
  }

  @Test func aStartThatTakesTooLongIsEndedAndTriedAgain() throws {
    var world = try SimulatedWorld([WorkerSpecification(name: "risk")], seed: 7)
    world.send(.timePassed)
    world.happen(.stepSucceeds(Incarnation(worker: "risk", generation: 1)))
    world.advanceToNextDeadline()
    #expect(world.now == Moment(sinceStart: .seconds(10)))
    #expect(world["risk"]?.isTerminated == true)
    #expect(world["risk"]?.isKilled == false)
    world.advanceToNextDeadline()
    #expect(world["risk"]?.isKilled == true)
    world.happen(.ends(Incarnation(worker: "risk", generation: 1), .signal(9)))
    let snapshot = try #require(world.supervisor.snapshot(of: "risk"))
    #expect(snapshot.generation == 2)
    #expect(
      snapshot.lastExit?.description
        == "not ready within 10 s: its process does not listen yet")
  }

  @Test func aConfigurationThatIsRefusedIsNotTriedAgain() throws {
    var world = try SimulatedWorld([WorkerSpecification(name: "risk")], seed: 7)
    world.send(.timePassed)
    let first = Incarnation(worker: "risk", generation: 1)
    for _ in 0..<3 { world.happen(.stepSucceeds(first)) }
    world.happen(.stepFails(first, retryable: false))
    world.happen(.ends(first, .exitCode(0)))
    let snapshot = try #require(world.supervisor.snapshot(of: "risk"))
    #expect(snapshot.state == .quarantined)
    #expect(snapshot.nextStart == nil)
    #expect(snapshot.reason == "refused")
  }

  @Test func restartTypesDecideWhichEndsCallForAnother() throws {
    let cases: [(RestartPolicy.Kind, ProcessEnd, WorkerSnapshot.State)] = [
      (.permanent, .exitCode(0), .starting), (.permanent, .signal(9), .starting),
      (.transient, .exitCode(0), .finished), (.transient, .exitCode(1), .starting),
      (.temporary, .exitCode(0), .finished), (.temporary, .signal(9), .finished),
    ]
    for (kind, end, expected) in cases {
      var world = try SimulatedWorld(
        [WorkerSpecification(name: "risk", restart: RestartPolicy(kind: kind))], seed: 7)
      world.send(.timePassed)
      world.makeReady("risk")
      world.happen(.ends(Incarnation(worker: "risk", generation: 1), end))
      #expect(world.supervisor.snapshot(of: "risk")?.state == expected, "\(kind), \(end)")
    }
  }

  @Test func aDeathTakesAlongWhomTheStrategyNames() throws {
    func drained(_ strategy: RestartPolicy.Strategy) throws -> [String] {
      var world = try SimulatedWorld(
        [
          WorkerSpecification(name: "base", restart: RestartPolicy(strategy: strategy)),
          WorkerSpecification(name: "top", requires: [Requirement("base")]),
          WorkerSpecification(name: "apart"),
        ], seed: 7)
      world.send(.timePassed)
      for name in ["base", "top", "apart"] { world.makeReady(name) }
      world.die("base")
      return world.allProcesses.filter(\.isDraining).map(\.incarnation.worker)
    }
    #expect(try drained(.oneForOne) == [])
    #expect(try drained(.restForOne) == ["top"])
  }

  @Test func stoppingDrainsThenAsksThenKills() throws {
    var world = try SimulatedWorld([WorkerSpecification(name: "risk")], seed: 7)
    let first = Incarnation(worker: "risk", generation: 1)
    world.send(.timePassed)
    world.makeReady("risk")
    let actions = world.supervisor.handle(.wantedDown(worker: "risk"), at: world.now)
    #expect(actions.prefix(2) == [.withdraw(first), .drain(first, grace: .seconds(5))])
    var later = world.now + .milliseconds(5500)
    #expect(world.supervisor.handle(.timePassed, at: later) == [.terminate(first)])
    later = later + .seconds(2)
    #expect(world.supervisor.handle(.timePassed, at: later).first == .kill(first))
    later = later + .seconds(5)
    #expect(world.supervisor.handle(.timePassed, at: later).first == .kill(first))
    _ = world.supervisor.handle(.exited(first, .signal(9)), at: later)
    #expect(world.supervisor.snapshot(of: "risk")?.state == .stopped)
    #expect(world.supervisor.nextDeadline == nil)
  }

  @Test func aNewProcessTakesOverWhenItIsReady() throws {
    var world = try SimulatedWorld([WorkerSpecification(name: "risk", overlap: true)], seed: 7)
    let (old, new) = (
      Incarnation(worker: "risk", generation: 1), Incarnation(worker: "risk", generation: 2)
    )
    world.send(.timePassed)
    world.makeReady("risk")
    world.send(.restartAsked(workers: ["risk"]))
    #expect(world.supervisor.snapshot(of: "risk")?.state == .ready)
    #expect(world.supervisor.snapshot(of: "risk")?.processes == [old, new])
    #expect(world.processes[old]?.isDraining == false)
    world.makeReady("risk")
    #expect(world.supervisor.snapshot(of: "risk")?.generation == 2)
    #expect(world.processes[old]?.isDraining == true)
    world.happen(.ends(old, .exitCode(0)))
    #expect(world.supervisor.snapshot(of: "risk")?.processes == [new])
    #expect(world.supervisor.isSettled)
    #expect(world.violations == [])
  }

  @Test(arguments: [true, false])
  func whatDoesNotBecomeReadyIsTakenBack(overlap: Bool) throws {
    let worker = WorkerSpecification(name: "risk", overlap: overlap, revision: 1)
    var world = try SimulatedWorld([worker], seed: 7)
    world.send(.timePassed)
    world.makeReady("risk")
    var better = worker
    better.revision = 2
    world.send(.replacementAsked(better))
    if !overlap {
      world.happen(.ends(Incarnation(worker: "risk", generation: 1), .exitCode(0)))
    }
    let new = Incarnation(worker: "risk", generation: 2)
    #expect(world.processes[new]?.revision == 2)
    world.happen(.stepSucceeds(new))
    world.happen(.ends(new, .signal(11)))
    let snapshot = try #require(world.supervisor.snapshot(of: "risk"))
    #expect(snapshot.failedReplacement?.generation == 2)
    #expect(snapshot.failedReplacement?.reason == "killed by SIGSEGV")
    #expect(snapshot.state == (overlap ? .ready : .starting))
    #expect(snapshot.revision == 1)
    #expect(snapshot.generation == (overlap ? 1 : 3))
    #expect(world.violations == [])
  }

  @Test func aGroupIsReplacedOneAfterTheOther() throws {
    var world = try SimulatedWorld(
      [
        WorkerSpecification(name: "base", overlap: true),
        WorkerSpecification(name: "top", requires: [Requirement("base")]),
      ], seed: 7)
    world.send(.timePassed)
    world.makeReady("base")
    world.makeReady("top")
    world.send(.restartAsked(workers: ["top", "base"]))
    world.happen(.ends(Incarnation(worker: "top", generation: 1), .exitCode(0)))
    #expect(world.supervisor.snapshot(of: "top")?.reason == "waits until base is replaced")
    world.makeReady("base")
    #expect(world.supervisor.snapshot(of: "top")?.state == .starting)
    #expect(world.violations == [])
  }

  @Test func aLossDoesWhatTheRequirementSays() throws {
    let requirements = Requirement.Loss.allCases.map {
      WorkerSpecification(name: $0.rawValue, requires: [Requirement("base", onLoss: $0)])
    }
    var world = try SimulatedWorld([WorkerSpecification(name: "base")] + requirements, seed: 7)
    world.send(.timePassed)
    for name in world.supervisor.startOrder { world.makeReady(name) }
    world.die("base")
    func state(_ name: String) -> WorkerSnapshot.State? {
      world.supervisor.snapshot(of: name)?.state
    }
    #expect(state("ignore") == .ready)
    #expect(state("hold") == .held)
    #expect(state("restart") == .draining)
    #expect(
      world.supervisor.snapshot(of: "hold")?.reason == "callers are held: waits for base")
    world.makeReady("base")
    #expect(state("hold") == .ready)
    #expect(world.violations == [])
  }

  @Test func aWorkerWithoutProgressIsReplacedAndNobodyPaysForTheHostsSleep() throws {
    var world = try SimulatedWorld([WorkerSpecification(name: "risk")], seed: 7)
    world.send(.timePassed)
    world.makeReady("risk")
    let first = Incarnation(worker: "risk", generation: 1)
    // The host sleeps for an hour: what the worker said meanwhile has not been read.
    world.pass(.seconds(3600))
    world.send(.timePassed)
    #expect(world.supervisor.snapshot(of: "risk")?.health.isLive == true)
    world.happen(.reports(first, degraded: true))
    #expect(world.supervisor.snapshot(of: "risk")?.health.degradation == "a part is missing")
    // Nothing from here on: half of the time makes it suspect, all of it ends it, without a word.
    let silence = world.now
    world.advanceToNextDeadline()
    #expect(world.supervisor.snapshot(of: "risk")?.health.isLive == false)
    #expect(world.supervisor.snapshot(of: "risk")?.state == .ready)
    world.advanceToNextDeadline()
    #expect(world.now - silence == .seconds(10))
    #expect(world.processes[first]?.isKilled == true)
    world.happen(.ends(first, .signal(9)))
    let snapshot = try #require(world.supervisor.snapshot(of: "risk"))
    #expect(snapshot.state == .starting)
    #expect(snapshot.lastExit?.description == "stuck: it has shown no progress for 10 s")
    #expect(snapshot.lastExit?.wasStuck == true)
    #expect(world.violations == [])
  }

  @Test func causesWithABudgetOfTheirOwnAreCountedOnTheirOwn() throws {
    let policy = RestartPolicy(
      intensity: 5, budgets: [.outOfMemory: RestartPolicy.Budget(intensity: 0)])
    var world = try SimulatedWorld([WorkerSpecification(name: "risk", restart: policy)], seed: 7)
    world.send(.timePassed)
    world.makeReady("risk")
    world.die("risk")
    world.makeReady("risk")
    world.happen(.ends(Incarnation(worker: "risk", generation: 2), .outOfMemory))
    let snapshot = try #require(world.supervisor.snapshot(of: "risk"))
    #expect(snapshot.state == .quarantined)
    #expect(
      snapshot.reason == "restarted 0 times because it ran out of memory within 30 s, then: "
        + "ran out of memory")
  }

  @Test func aChangedProductStartsStopsAndReplacesOnlyWhatChanged() throws {
    var world = try SimulatedWorld(
      ["same", "changed", "gone"].map { WorkerSpecification(name: $0) }, seed: 7)
    world.send(.timePassed)
    for name in world.supervisor.startOrder { world.makeReady(name) }
    world.send(
      .specified(
        try WorkerGraph([
          WorkerSpecification(name: "same"), WorkerSpecification(name: "changed", revision: 1),
          WorkerSpecification(name: "new", requires: [Requirement("changed")]),
        ])))
    #expect(world["same"]?.isEnding == false)
    for name in ["changed", "gone"] {
      #expect(world[name]?.isDraining == true)
      world.happen(.ends(Incarnation(worker: name, generation: 1), .exitCode(0)))
    }
    #expect(world.supervisor.snapshot(of: "gone") == nil)
    #expect(world["changed"]?.revision == 1)
    world.makeReady("changed")
    world.makeReady("new")
    #expect(world.supervisor.isSettled)
    #expect(world.violations == [])
  }

  @Test func aShutdownEndsDependentsFirst() throws {
    var world = try SimulatedWorld(
      [
        WorkerSpecification(name: "base"),
        WorkerSpecification(name: "top", requires: [Requirement("base")]),
      ], seed: 7)
    world.send(.timePassed)
    world.makeReady("base")
    world.makeReady("top")
    world.send(.shutDownAsked)
    #expect(world["top"]?.isDraining == true)
    #expect(world["base"]?.isDraining == false)
    world.happen(.ends(Incarnation(worker: "top", generation: 1), .exitCode(0)))
    #expect(world["base"]?.isDraining == true)
    #expect(!world.supervisor.isShutDown)
    world.happen(.ends(Incarnation(worker: "base", generation: 1), .exitCode(0)))
    #expect(world.supervisor.isShutDown)
    world.send(.wantedUp(worker: "top"))
    #expect(world.supervisor.snapshot(of: "top")?.state == .stopped)
    #expect(world.violations == [])
  }

  @Test func whatIsSaidOfAProcessThatIsGoneChangesNothing() throws {
    var world = try SimulatedWorld([WorkerSpecification(name: "risk")], seed: 7)
    world.send(.timePassed)
    world.makeReady("risk")
    world.die("risk")
    let before = world.supervisor
    let gone = Incarnation(worker: "risk", generation: 1)
    let late: [SupervisionEvent] = [
      .exited(gone, .signal(9)), .stepCompleted(gone, .spawn), .drainFailed(gone),
      .stepFailed(gone, .spawn, StartFailure(reason: "late")),
      .exited(Incarnation(worker: "stranger", generation: 2), .signal(9)),
    ]
    for event in late {
      #expect(world.supervisor.handle(event, at: world.now) == [])
      #expect(world.supervisor == before)
    }
  }

  @Test func wrongSetsOfWorkersAreRefused() {
    #expect(throws: WorkerGraph.Flaw.duplicate("a")) {
      try Supervisor(
        [WorkerSpecification(name: "a"), WorkerSpecification(name: "a")], jitterSeed: 1)
    }
    #expect(throws: WorkerGraph.Flaw.unknownRequirement("a", "b")) {
      try Supervisor([WorkerSpecification(name: "a", requires: [Requirement("b")])], jitterSeed: 1)
    }
    #expect(throws: WorkerGraph.Flaw.cycle(["a", "b"])) {
      try Supervisor(
        [
          WorkerSpecification(name: "a", requires: [Requirement("b")]),
          WorkerSpecification(name: "b", requires: [Requirement("a")]),
        ], jitterSeed: 1)
    }
  }
}

extension SimulatedWorld {
  /// Lets each step of a worker's start succeed.
  mutating func makeReady(_ name: String) {
    while let process = processes(of: name).last, process.pending != nil {
      happen(.stepSucceeds(process.incarnation))
    }
  }

  /// Ends a worker's process as `kill -9` would.
  mutating func die(_ name: String) {
    guard let process = self[name] else { return }
    happen(.ends(process.incarnation, .signal(9)))
  }
}

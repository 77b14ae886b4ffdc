import KithManifest
import KithSupervision
import Testing

/// What the supervisor decides, case by case.
@Suite struct SupervisorTests {
  @Test func aWorkerIsLedStepByStepUntilItIsReady() throws {
    var supervisor = try Supervisor([WorkerSpecification(name: "risk")], jitterSeed: 1)
    let first = Incarnation(worker: "risk", generation: 1)
    #expect(supervisor.handle(.timePassed, at: .start) == [.spawn(first)])
    #expect(supervisor.handle(.stepCompleted(first, .spawn), at: .start) == [])
    for (done, next) in [
      (StartStep.listen, StartStep.handshake), (.handshake, .configure), (.configure, .start),
    ] {
      #expect(
        supervisor.handle(.stepCompleted(first, done), at: .start) == [.perform(next, first)])
    }
    let last = supervisor.handle(.stepCompleted(first, .start), at: .start)
    #expect(last.first == .publish(first))
    #expect(supervisor.snapshot(of: "risk")?.state == .ready)
    #expect(supervisor.nextDeadline == nil)
    #expect(supervisor.isSettled)
  }

  @Test func generationsGoOnWhereAnEarlierHostLeftOff() throws {
    var supervisor = try Supervisor(
      [WorkerSpecification(name: "risk", lastGeneration: 41)], jitterSeed: 1)
    #expect(
      supervisor.handle(.timePassed, at: .start)
        == [.spawn(Incarnation(worker: "risk", generation: 42))])
  }

  @Test func whatIsRequiredIsReadyFirst() throws {
    var world = try SimulatedWorld(
      [
        WorkerSpecification(name: "top", requires: ["middle"]),
        WorkerSpecification(name: "middle", requires: ["base"]),
        WorkerSpecification(name: "base"),
      ], seed: 1)
    #expect(world.supervisor.startOrder == ["base", "middle", "top"])
    world.send(.timePassed)
    #expect(world.processes.keys.sorted() == ["base"])
    #expect(world.supervisor.snapshot(of: "top")?.reason == "waits for middle")
    world.makeReady("base")
    #expect(world.processes.keys.sorted() == ["base", "middle"])
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
    world.now = world.now + .seconds(10)
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
    #expect(world.processes["risk"]?.isTerminated == true)
    #expect(world.processes["risk"]?.isKilled == false)
    world.advanceToNextDeadline()
    #expect(world.processes["risk"]?.isKilled == true)
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
          WorkerSpecification(name: "top", requires: ["base"]),
          WorkerSpecification(name: "apart"),
        ], seed: 7)
      world.send(.timePassed)
      for name in ["base", "top", "apart"] { world.makeReady(name) }
      world.die("base")
      return world.processes.values.filter(\.isDraining).map(\.incarnation.worker).sorted()
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

  @Test func aShutdownEndsDependentsFirst() throws {
    var world = try SimulatedWorld(
      [
        WorkerSpecification(name: "base"), WorkerSpecification(name: "top", requires: ["base"]),
      ], seed: 7)
    world.send(.timePassed)
    world.makeReady("base")
    world.makeReady("top")
    world.send(.shutDownAsked)
    #expect(world.processes["top"]?.isDraining == true)
    #expect(world.processes["base"]?.isDraining == false)
    world.happen(.ends(Incarnation(worker: "top", generation: 1), .exitCode(0)))
    #expect(world.processes["base"]?.isDraining == true)
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
    #expect(throws: Supervisor.SpecificationError.duplicate("a")) {
      try Supervisor(
        [WorkerSpecification(name: "a"), WorkerSpecification(name: "a")], jitterSeed: 1)
    }
    #expect(throws: Supervisor.SpecificationError.unknownRequirement("a", "b")) {
      try Supervisor([WorkerSpecification(name: "a", requires: ["b"])], jitterSeed: 1)
    }
    #expect(throws: Supervisor.SpecificationError.cycle(["a", "b"])) {
      try Supervisor(
        [
          WorkerSpecification(name: "a", requires: ["b"]),
          WorkerSpecification(name: "b", requires: ["a"]),
        ], jitterSeed: 1)
    }
  }
}

extension SimulatedWorld {
  /// Lets each step of a worker's start succeed.
  mutating func makeReady(_ name: String) {
    while let process = processes[name], process.pending != nil {
      happen(.stepSucceeds(process.incarnation))
    }
  }

  /// Ends a worker's process as `kill -9` would.
  mutating func die(_ name: String) {
    guard let process = processes[name] else { return }
    happen(.ends(process.incarnation, .signal(9)))
  }
}

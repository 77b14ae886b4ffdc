import KithManifest
import KithSupervision
import SupervisionSimulation
import Testing

/// The rules by which processes are led, one by one.
@Suite struct LeadingRuleTests {
  private let first = Incarnation(worker: "risk", generation: 1)

  private func world(_ workers: [WorkerSpecification]) throws -> SimulatedWorld {
    var world = try SimulatedWorld(workers, seed: 7)
    world.send(.timePassed)
    return world
  }

  private func notes(_ actions: [SupervisionAction]) -> [String] {
    actions.compactMap { if case .note(_, _, let text) = $0 { text } else { nil } }
  }

  // MARK: Steps

  @Test func whatIsSaidOfAnotherStepThanTheOneUnderWayChangesNothing() throws {
    var supervisor = try Supervisor([WorkerSpecification(name: "risk")], jitterSeed: 1)
    _ = supervisor.handle(.timePassed, at: .start)
    for step in [StartStep.spawn, .listen] {
      _ = supervisor.handle(.stepCompleted(first, step), at: .start)
    }
    let before = supervisor
    for step in StartStep.allCases where step != .handshake {
      #expect(supervisor.handle(.stepCompleted(first, step), at: .start) == [], "\(step)")
      let failure = StartFailure(reason: "late")
      #expect(supervisor.handle(.stepFailed(first, step, failure), at: .start) == [], "\(step)")
      #expect(supervisor == before)
    }
  }

  @Test func aDegradationIsSaidWhenItBeginsAndWhenItEnds() throws {
    var world = try world([WorkerSpecification(name: "risk")])
    world.makeReady("risk")
    let reports = [("slow", 1), ("slow", 2), ("slow", 3), ("slower", 4), ("", 5), ("", 6)]
    let said = reports.flatMap { degradation, progress in
      notes(
        world.supervisor.handle(
          .reported(
            first, HealthReport(progress: UInt64(progress), degradation: degradation)),
          at: world.now))
    }
    #expect(said == ["degraded: slow", "degraded: slower", "whole again"])
  }

  @Test func callersAreToldOfADeathBeforeAnythingElseIsDone() throws {
    var world = try world([WorkerSpecification(name: "risk")])
    world.makeReady("risk")
    let actions = world.supervisor.handle(.exited(first, .signal(9)), at: world.now)
    #expect(actions.first == .withdraw(first))
  }

  // MARK: Ends

  @Test func aDrainHasItsGraceAndAMarginToEndInBeforeSIGTERM() throws {
    let limits = TimeLimits(drain: .seconds(3), drainMargin: .milliseconds(700))
    var world = try world([WorkerSpecification(name: "risk", limits: limits)])
    world.makeReady("risk")
    let actions = world.supervisor.handle(.wantedDown(worker: "risk"), at: world.now)
    #expect(actions.contains(.drain(first, grace: .seconds(3))))
    let end = world.now + .milliseconds(3700)
    #expect(world.supervisor.nextDeadline == end)
    let early = world.now + .milliseconds(3699)
    #expect(world.supervisor.handle(.timePassed, at: early) == [])
    #expect(world.supervisor.handle(.timePassed, at: end) == [.terminate(first)])
  }

  @Test func aWorkerThatNoLongerAllowsOverlapIsNotStartedBesideItsEarlierProcess() throws {
    var world = try world([WorkerSpecification(name: "risk", overlap: true)])
    world.makeReady("risk")
    world.send(.restartAsked(workers: ["risk"]))
    world.makeReady("risk")
    #expect(world.processes[first]?.isDraining == true)
    world.send(.specified(try WorkerGraph([WorkerSpecification(name: "risk", overlap: false)])))
    world.happen(.ends(Incarnation(worker: "risk", generation: 2), .signal(9)))
    #expect(world.allProcesses.map(\.incarnation) == [first])
    #expect(
      world.supervisor.snapshot(of: "risk")?.reason == "waits until its earlier process has ended")
    world.happen(.ends(first, .exitCode(0)))
    #expect(world.supervisor.snapshot(of: "risk")?.state == .starting)
    #expect(world.violations == [])
  }

  @Test func aThirdProcessWaitsForTheFirstToBeGone() throws {
    var world = try world([WorkerSpecification(name: "risk", overlap: true)])
    world.makeReady("risk")
    for _ in 0..<2 {
      world.send(.restartAsked(workers: ["risk"]))
      world.makeReady("risk")
    }
    #expect(world.processes(of: "risk").map(\.incarnation.generation) == [1, 2])
    world.happen(.ends(first, .exitCode(0)))
    #expect(world.processes(of: "risk").map(\.incarnation.generation) == [2, 3])
    #expect(world.violations == [])
  }

  // MARK: Requirements

  @Test func callersAreHeldWhileWhatMustBeLiveShowsNoProgress() throws {
    var world = try world([
      WorkerSpecification(name: "risk"),
      WorkerSpecification(
        name: "top", requires: [Requirement("risk", health: .live, onLoss: .hold)],
        limits: TimeLimits(watchdog: nil)),
    ])
    world.makeReady("risk")
    world.makeReady("top")
    #expect(world.supervisor.snapshot(of: "top")?.state == .ready)
    world.advanceToNextDeadline()
    #expect(world.supervisor.snapshot(of: "top")?.state == .held)
    #expect(
      world.supervisor.snapshot(of: "top")?.reason
        == "callers are held: waits for risk, which shows no progress")
    world.happen(.reports(first, degraded: false))
    #expect(world.supervisor.snapshot(of: "top")?.state == .ready)
    #expect(world.violations == [])
  }

  @Test func whatACandidateRequiresIsLeftToTheProduct() throws {
    var world = try world([
      WorkerSpecification(name: "base"),
      WorkerSpecification(
        name: "risk", requires: [Requirement("base", onLoss: .hold)], overlap: true),
    ])
    world.makeReady("base")
    world.makeReady("risk")
    world.send(.replacementAsked(WorkerSpecification(name: "risk", overlap: true, revision: 2)))
    world.makeReady("risk")
    #expect(world.supervisor.snapshot(of: "risk")?.revision == 2)
    world.die("base")
    #expect(world.supervisor.snapshot(of: "risk")?.state == .held)
    #expect(world.violations == [])
  }

  // MARK: Adoption and generations

  @Test func whatAnEarlierHostStartedCounts() throws {
    var supervisor = try Supervisor([WorkerSpecification(name: "risk")], jitterSeed: 1)
    let ninth = Incarnation(worker: "risk", generation: 9)
    _ = supervisor.handle(.found([ninth: 0]), at: .start)
    let ended = supervisor.handle(.exited(ninth, .unknown), at: .start)
    #expect(ended.contains(.spawn(Incarnation(worker: "risk", generation: 10), revision: 0)))
  }

  @Test func noMoreThanTwoProcessesOfAWorkerAreLed() throws {
    var supervisor = try Supervisor(
      [WorkerSpecification(name: "risk", overlap: true)], jitterSeed: 1)
    let found = (1...3).map { Incarnation(worker: "risk", generation: $0) }
    let actions = supervisor.handle(
      .found(Dictionary(uniqueKeysWithValues: found.map { ($0, 0) })), at: .start)
    #expect(actions == [.perform(.adopt, found[0]), .perform(.adopt, found[1])])
    #expect(supervisor.snapshot(of: "risk")?.processes == Array(found[..<2]))
  }

  @Test func whatIsRequiredIsNotLostWhileItIsBeingAdopted() throws {
    for loss in [Requirement.Loss.restart, .hold] {
      var supervisor = try Supervisor(
        [
          WorkerSpecification(name: "base"),
          WorkerSpecification(name: "top", requires: [Requirement("base", onLoss: loss)]),
        ], jitterSeed: 1)
      let (base, top) = (
        Incarnation(worker: "base", generation: 1), Incarnation(worker: "top", generation: 1)
      )
      _ = supervisor.handle(.found([base: 0, top: 0]), at: .start)
      for step in [StartStep.adopt, .watch] {
        _ = supervisor.handle(.stepCompleted(top, step), at: .start)
      }
      #expect(supervisor.snapshot(of: "top")?.state == .ready, "\(loss)")
      // It turns out not to be well after all.
      let failure = StartFailure(reason: "it could not show what it is")
      _ = supervisor.handle(.stepFailed(base, .adopt, failure), at: .start)
      #expect(
        supervisor.snapshot(of: "top")?.state == (loss == .hold ? .held : .draining), "\(loss)")
    }
  }

  @Test func anAdoptionTakesNoLongerThanAReadyProcessMayBeSilentNorThanAStart() throws {
    for (start, watchdog, expected) in [
      (Duration.seconds(60), Duration.seconds(4) as Duration?, Duration.seconds(4)),
      (.seconds(5), .seconds(60), .seconds(5)), (.seconds(5), nil, .seconds(5)),
    ] {
      var supervisor = try Supervisor(
        [
          WorkerSpecification(name: "risk", limits: TimeLimits(start: start, watchdog: watchdog))
        ], jitterSeed: 1)
      _ = supervisor.handle(.found([first: 0]), at: .start)
      #expect(supervisor.nextDeadline == .start + expected)
    }
  }

  @Test func generationsThatWereUsedMeanwhileAreNotUsedAgain() throws {
    var world = try world([WorkerSpecification(name: "risk")])
    let graph = try WorkerGraph([WorkerSpecification(name: "risk", lastGeneration: 9)])
    _ = world.supervisor.handle(.specified(graph), at: world.now)
    let actions = world.supervisor.handle(.exited(first, .signal(9)), at: world.now)
    #expect(
      actions.contains(.spawn(Incarnation(worker: "risk", generation: 10), revision: 0)))
  }

  // MARK: Virtual time

  @Test func eachMomentHasItsOwnRounds() {
    var move = ClockMove(
      from: ClockMove.Time(wallMilliseconds: 0, elapsedMilliseconds: 0), advancingBy: 10)
    for moment in 1...3 {
      for _ in 0..<ClockMove.mostRoundsAtOnce - 1 {
        #expect(move.next(due: nil, hasRun: true) == .show)
      }
      #expect(move.next(due: Int64(moment), hasRun: false) == .show)
    }
  }
}

import KithManifest
import KithSupervision
import SupervisionSimulation
import Testing

/// What the supervisor decides about processes of an earlier host, case by case.
@Suite struct AdoptionDecisionTests {
  private let third = Incarnation(worker: "risk", generation: 3)
  private let fourth = Incarnation(worker: "risk", generation: 4)

  private func supervisor(
    overlap: Bool = false, restart: RestartPolicy = .standard, revision: UInt64 = 0,
    wanted: Bool = true
  ) throws -> Supervisor {
    try Supervisor(
      [
        WorkerSpecification(
          name: "risk", restart: restart, overlap: overlap, revision: revision, lastGeneration: 16,
          wanted: wanted)
      ], jitterSeed: 1)
  }

  @Test func whatProvesItselfIsLedAsIfItHadBeenStartedHere() throws {
    var supervisor = try supervisor()
    #expect(supervisor.handle(.found([third: 0]), at: .start) == [.perform(.adopt, third)])
    #expect(!supervisor.isSettled)
    #expect(
      supervisor.handle(.stepCompleted(third, .adopt), at: .start) == [.perform(.watch, third)])
    #expect(
      supervisor.handle(.stepCompleted(third, .watch), at: .start).contains(.publish(third)))
    let snapshot = try #require(supervisor.snapshot(of: "risk"))
    #expect(snapshot.state == .ready && snapshot.generation == 3 && snapshot.restarts == 0)
    // Its end is a crash as any other, whoever knows how it came.
    let after = supervisor.handle(.exited(third, .unknown), at: .start)
    #expect(after.contains(.spawn(Incarnation(worker: "risk", generation: 17), revision: 0)))
    #expect(supervisor.snapshot(of: "risk")?.restarts == 1)
    #expect(
      supervisor.snapshot(of: "risk")?.lastExit?.description
        == "exit status unknown: adopted from an earlier host")
  }

  @Test func whatDoesNotProveItselfIsEndedAndCostsNoRestart() throws {
    var supervisor = try supervisor(restart: RestartPolicy(intensity: 0))
    _ = supervisor.handle(.found([third: 0]), at: .start)
    let failed = supervisor.handle(
      .stepFailed(third, .adopt, StartFailure(reason: "it was being ended")), at: .start)
    #expect(failed.contains(.terminate(third)))
    // Nothing is started beside it.
    #expect(!failed.contains { if case .spawn = $0 { true } else { false } })
    let ended = supervisor.handle(.exited(third, .signal(9)), at: .start)
    #expect(ended.contains(.spawn(Incarnation(worker: "risk", generation: 17), revision: 0)))
    #expect(supervisor.snapshot(of: "risk")?.restarts == 0)
  }

  @Test func whatIsSilentForAsLongAsAReadyProcessMayBeIsStuck() throws {
    var supervisor = try supervisor()
    _ = supervisor.handle(.found([third: 0]), at: .start)
    let deadline = try #require(supervisor.nextDeadline)
    #expect(deadline == .start + .seconds(10))
    // What is stopped takes no SIGTERM.
    #expect(supervisor.handle(.timePassed, at: deadline).contains(.kill(third)))
    _ = supervisor.handle(.exited(third, .signal(9)), at: deadline)
    #expect(supervisor.snapshot(of: "risk")?.lastExit?.wasStuck == true)
  }

  @Test func ofTwoTheLaterOneTakesOverWhenItIsReady() throws {
    var supervisor = try supervisor(overlap: true)
    _ = supervisor.handle(.found([fourth: 0, third: 0]), at: .start)
    for step in [StartStep.adopt, .watch] {
      _ = supervisor.handle(.stepCompleted(third, step), at: .start)
    }
    #expect(supervisor.snapshot(of: "risk")?.generation == 3)
    _ = supervisor.handle(.stepCompleted(fourth, .adopt), at: .start)
    let taken = supervisor.handle(.stepCompleted(fourth, .watch), at: .start)
    #expect(taken.contains(.publish(fourth)))
    #expect(taken.contains { if case .drain(third, _) = $0 { true } else { false } })
  }

  @Test func whatWasMadeFromAnotherDefinitionIsReplaced() throws {
    var supervisor = try supervisor(overlap: true, revision: 5)
    _ = supervisor.handle(.found([third: 4]), at: .start)
    _ = supervisor.handle(.stepCompleted(third, .adopt), at: .start)
    let ready = supervisor.handle(.stepCompleted(third, .watch), at: .start)
    #expect(ready.contains(.publish(third)))
    #expect(ready.contains(.spawn(Incarnation(worker: "risk", generation: 17), revision: 5)))
  }

  /// An upgrade that an earlier host had carried out, asked of this one too: it counts as carried
  /// out, and is not forgotten with what is still under way.
  @Test func anUpgradeToWhatAnAdoptedProcessWasMadeFromIsKept() throws {
    var supervisor = try supervisor(overlap: true, revision: 5)
    _ = supervisor.handle(.found([third: 83]), at: .start)
    for step in [StartStep.adopt, .watch] {
      _ = supervisor.handle(.stepCompleted(third, step), at: .start)
    }
    let upgrade = WorkerSpecification(name: "risk", overlap: true, revision: 83)
    _ = supervisor.handle(.replacementAsked(upgrade), at: .start)
    #expect(supervisor.snapshot(of: "risk")?.specifiedRevision == 83)
    _ = supervisor.handle(.wantedDown(worker: "risk"), at: .start)
    _ = supervisor.handle(
      .stepFailed(.init(worker: "risk", generation: 17), .spawn, StartFailure(reason: "ended")),
      at: .start)
    _ = supervisor.handle(.exited(third, .exitCode(0)), at: .start)
    let up = supervisor.handle(.wantedUp(worker: "risk"), at: .start)
    #expect(up.contains(.spawn(Incarnation(worker: "risk", generation: 18), revision: 83)), "\(up)")
  }

  @Test func whatNobodyWantsIsEnded() throws {
    var supervisor = try supervisor(wanted: false)
    let stranger = Incarnation(worker: "gone", generation: 1)
    let found = supervisor.handle(.found([third: 0, stranger: 0]), at: .start)
    #expect(found.contains(.terminate(third)) && found.contains(.terminate(stranger)))
    _ = supervisor.handle(.exited(third, .exitCode(0)), at: .start)
    _ = supervisor.handle(.exited(stranger, .exitCode(0)), at: .start)
    #expect(supervisor.snapshot(of: "gone") == nil)
    #expect(supervisor.snapshot(of: "risk")?.state == .stopped)
  }
}

import KithSupervision
import Testing

/// From one time to another, with a stop where something is due.
@Suite struct ClockMoveTests {
  private let start = ClockMove.Time(wallMilliseconds: 1000, elapsedMilliseconds: 50)

  @Test func theClocksStopWhereSomethingIsDueAndNowhereElse() {
    var move = ClockMove(from: start, advancingBy: 500)
    #expect(move.time == start)
    // What was due at the start has given somebody else something to do at once.
    #expect(move.next(due: 1200, hasRun: true) == .show)
    #expect(move.time == start)
    #expect(move.next(due: 1200, hasRun: false) == .show)
    #expect(move.time == ClockMove.Time(wallMilliseconds: 1200, elapsedMilliseconds: 250))
    #expect(move.next(due: 1501, hasRun: true) == .show)
    #expect(move.next(due: 1501, hasRun: false) == .show)
    #expect(move.time == ClockMove.Time(wallMilliseconds: 1500, elapsedMilliseconds: 550))
    #expect(move.next(due: 1501, hasRun: false) == .arrived)
    #expect(move.stops == 2)
  }

  @Test func whatIsDueAtTheVeryEndIsRun() {
    var move = ClockMove(from: start, advancingBy: 500)
    #expect(move.next(due: 1500, hasRun: false) == .show)
    #expect(move.next(due: 1500, hasRun: false) == .show)
    #expect(move.next(due: nil, hasRun: true) == .show)
    #expect(move.next(due: nil, hasRun: false) == .arrived)
  }

  @Test func anAdvanceByNothingRunsWhatIsDue() {
    var move = ClockMove(from: start, advancingBy: 0)
    #expect(move.next(due: 900, hasRun: true) == .show)
    #expect(move.next(due: nil, hasRun: false) == .arrived)
    #expect(move.time == start)
  }

  @Test(arguments: [-5000, 999, 9_000_000])
  func aClockThatIsSetJumpsInOneStepAndNoTimePasses(wall: Int64) {
    var move = ClockMove(from: start, settingWallTo: wall)
    #expect(move.time == ClockMove.Time(wallMilliseconds: wall, elapsedMilliseconds: 50))
    #expect(move.next(due: wall + 1, hasRun: true) == .show)
    #expect(move.next(due: wall + 1, hasRun: false) == .arrived)
    #expect(move.stops == 0)
  }

  @Test func whatIsAlwaysDueEndsTheMove() {
    var move = ClockMove(from: start, advancingBy: 1)
    for _ in 1..<ClockMove.mostRoundsAtOnce { #expect(move.next(due: 0, hasRun: true) == .show) }
    #expect(move.next(due: 0, hasRun: true) == .endless)
  }

  // MARK: Events

  private func flow(_ place: Int64?, trouble: String = "", of log: String = "a") -> EventFlow {
    EventFlow(
      ends: ["s": EventFlow.Place(log: "a", sequence: 7)],
      followers: [
        EventFlow.Follower(
          worker: "w", service: "s", place: place.map { EventFlow.Place(log: log, sequence: $0) },
          trouble: trouble)
      ], services: ["s"])
  }

  @Test func timeStandsStillWhileSomebodyHasNotTakenInWhatWasTold() {
    var move = ClockMove(from: start, advancingBy: 500)
    for flow in [flow(nil), flow(6), flow(9, of: "another")] {
      #expect(move.next(due: nil, hasRun: false, events: flow) == .show)
      #expect(move.time == start)
    }
    // However often: that is slow, and not endless.
    for _ in 0...ClockMove.mostRoundsAtOnce {
      #expect(move.next(due: nil, hasRun: false, events: flow(6)) == .show)
    }
    #expect(move.next(due: nil, hasRun: false, events: flow(7)) == .show)
    #expect(move.time.wallMilliseconds == 1500)
    #expect(move.next(due: nil, hasRun: false, events: flow(7)) == .arrived)
  }

  @Test func nobodyWaitsForEventsThatNobodyTells() {
    var flow = flow(2)
    flow.services = []
    flow.ends = [:]
    var move = ClockMove(from: start, advancingBy: 0)
    #expect(move.next(due: nil, hasRun: false, events: flow) == .arrived)
    #expect(flow.absent.map(\.worker) == ["w"])
  }

  @Test func whoCannotTakeAnEventInIsGivenSomeRoundsAndThenNamed() {
    var move = ClockMove(from: start, advancingBy: 500)
    let stuck = flow(6, trouble: "no")
    for _ in 1..<ClockMove.mostRoundsInTrouble {
      #expect(move.next(due: nil, hasRun: false, events: stuck) == .show)
    }
    // It went well in between.
    #expect(move.next(due: nil, hasRun: false, events: flow(6)) == .show)
    for _ in 1..<ClockMove.mostRoundsInTrouble {
      #expect(move.next(due: nil, hasRun: false, events: stuck) == .show)
    }
    #expect(move.next(due: nil, hasRun: false, events: stuck) == .stuck(stuck.followers[0]))
    #expect(move.time == start)
  }
}

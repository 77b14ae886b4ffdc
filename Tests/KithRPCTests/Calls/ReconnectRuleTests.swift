import Testing

@testable import KithRPC

/// What a client asks its connector for, and whom it turns away, rule by rule.
struct ReconnectRuleTests {
  private typealias Machine = ReconnectMachine<Int, Int>

  private var machine = ReconnectMachine<Int, Int>()
  private let now = Moment(nanoseconds: 1_000)

  private mutating func call(
    _ id: Int, waits: Bool = false, deadline: UInt64? = nil, readyBy: UInt64? = nil
  ) -> [Machine.Action] {
    machine.acquire(
      UInt64(id),
      .init(
        waiter: id, waitsForReady: waits, deadline: deadline.map { Moment(nanoseconds: $0) },
        readyBy: readyBy.map { Moment(nanoseconds: $0) }), now: now)
  }

  private func request(_ actions: [Machine.Action]) -> ConnectRequest? {
    for case .connect(let request, _) in actions { return request }
    return nil
  }

  private mutating func fail(_ code: StatusCode = .unavailable) -> [Machine.Action] {
    machine.failed(RPCError(code, "no"), attempt: machine.attempt, jitter: 1)
  }

  @Test(arguments: [true, false])
  mutating func afterALossTheConnectorLearnsWhatWasLost(_ isLeaving: Bool) {
    let first = call(1)
    #expect(request(first)?.predecessor == nil && request(first)?.waitForReady == false)
    _ = machine.connected(7, generation: 3, attempt: machine.attempt)
    machine.lost(isLeaving: isLeaving) { $0 == 8 }
    #expect(machine.connection == 7, "another connection was lost")
    machine.lost(isLeaving: isLeaving) { $0 == 7 }
    #expect(machine.connection == nil)
    let next = request(call(2))
    #expect(next?.predecessor == .init(generation: 3, isLeaving: isLeaving))
    // What was lost before is forgotten with the next connection.
    _ = machine.connected(9, generation: 4, attempt: machine.attempt)
    machine.lost(isLeaving: false) { $0 == 9 }
    #expect(request(call(3))?.predecessor == .init(generation: 4, isLeaving: false))
  }

  @Test mutating func onlyAfterAFailureTheConnectorIsAskedToWait() {
    #expect(request(call(1, waits: true))?.waitForReady == false)
    _ = fail()
    #expect(request(machine.retry(attempt: machine.attempt, now: now))?.waitForReady == true)
  }

  @Test mutating func whoDoesNotWaitIsToldTheLastErrorWhileOthersDo() {
    _ = call(1, waits: true)
    _ = fail()
    for step in 0..<2 {
      let actions = call(10 + step)
      guard case .fail(let waiter, let error)? = actions.first, actions.count == 1 else {
        Issue.record("it is turned away at once, not \(actions)")
        return
      }
      #expect(waiter == 10 + step && error.message == "no")
      _ = machine.retry(attempt: machine.attempt, now: now)
    }
  }

  @Test mutating func onlyAWorkerThatIsNotThereIsWaitedFor() {
    _ = call(1, waits: true)
    let actions = fail(.permissionDenied)
    guard case .fail(1, let error)? = actions.first, actions.count == 1 else {
      Issue.record("\(actions)")
      return
    }
    #expect(error.code == .permissionDenied)
  }

  @Test mutating func theConnectorHasTheTimeOfWhoHasMost() {
    _ = call(1, waits: true, deadline: 6_000)
    _ = call(2, waits: true, deadline: 9_000, readyBy: 8_000)
    _ = fail()
    let bounded = request(machine.retry(attempt: machine.attempt, now: now))
    #expect(bounded?.timeout == .nanoseconds(7_000))
    _ = call(3, waits: true)
    _ = fail()
    let endless = request(machine.retry(attempt: machine.attempt, now: now))
    #expect(endless != nil && endless?.timeout == nil)
  }

  @Test mutating func whoseTimeIsOverIsToldWhichTimeItWas() {
    _ = call(1, waits: true, deadline: 5_000, readyBy: 3_000)
    _ = call(2, waits: true, deadline: 4_000)
    #expect(machine.nextDeadline == Moment(nanoseconds: 3_000))
    #expect(machine.expire(Moment(nanoseconds: 2_999)).isEmpty)
    guard case .fail(1, let ready)? = machine.expire(Moment(nanoseconds: 3_000)).first,
      case .fail(2, let late)? = machine.expire(Moment(nanoseconds: 4_000)).first
    else {
      Issue.record("each is told at its time")
      return
    }
    #expect(ready.code == .unavailable && ready.execution == .notStarted)
    #expect(late.code == .deadlineExceeded && late.execution == .notStarted)
  }

  @Test mutating func anOutcomeOfAnAttemptThatWasGivenUpCountsForNothing() {
    _ = call(1)
    let former = machine.attempt
    guard case .stopConnecting? = machine.abandon(1).actions.first else {
      Issue.record("nobody needs the attempt any more")
      return
    }
    #expect(machine.connected(7, generation: 1, attempt: former) == nil)
    _ = call(2)
    #expect(machine.connected(8, generation: 1, attempt: former) == nil, "an attempt of before")
    #expect(machine.failed(RPCError(.unavailable, "no"), attempt: former, jitter: 0).isEmpty)
    #expect(machine.connected(9, generation: 1, attempt: machine.attempt)?.count == 1)
  }
}

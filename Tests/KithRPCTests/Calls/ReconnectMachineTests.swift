import Testing

@testable import KithRPC

/// When a client connects, who waits and who is turned away: every order of events to a depth.
struct ReconnectMachineTests {
  private typealias Machine = ReconnectMachine<Int, Int>

  /// A machine and what its actions have brought about. A value: each order of events is a copy.
  private struct World {
    enum Event: CaseIterable {
      case call, callWaiting, abandon, connected, failed, refused, retry, lost, deadline, close
    }

    var machine = ReconnectMachine<Int, Int>()
    var waiting: Set<Int> = []
    var callers = 0
    var connections = 0
    var current: Int?
    /// The attempt that is under way, and the pause that is.
    var attempt: UInt64?
    var pause: UInt64?
    var isClosed = false

    private mutating func carryOut(_ actions: [ReconnectMachine<Int, Int>.Action]) {
      for action in actions {
        switch action {
        case .connect(_, let number):
          #expect(attempt == nil, "one attempt at a time")
          #expect(!isClosed)
          attempt = number
          pause = nil
        case .retry(_, let number): pause = number
        case .stopConnecting:
          attempt = nil
          pause = nil
        case .use(let caller, let connection):
          #expect(connection == current, "a caller was given a connection that is gone")
          #expect(waiting.remove(caller) != nil, "a caller was told twice")
        case .fail(let caller, _): #expect(waiting.remove(caller) != nil, "a caller was told twice")
        }
      }
      // Whoever waits, waits for something.
      #expect(waiting.isEmpty || attempt != nil || pause != nil, "a caller waits for nothing")
    }

    private mutating func call(waits: Bool) {
      callers += 1
      waiting.insert(callers)
      carryOut(
        machine.acquire(
          UInt64(callers),
          .init(waiter: callers, waitsForReady: waits, deadline: Moment(nanoseconds: 10)),
          now: Moment(nanoseconds: 1)))
    }

    mutating func happen(_ event: Event) {
      switch event {
      case .call: call(waits: false)
      case .callWaiting: call(waits: true)
      case .abandon:
        guard let first = waiting.min() else { return }
        let (caller, actions) = machine.abandon(UInt64(first))
        #expect(caller?.waiter == first)
        waiting.remove(first)
        carryOut(actions)
      case .connected:
        guard let number = attempt else { return }
        attempt = nil
        connections += 1
        current = connections
        let actions = machine.connected(connections, generation: 1, attempt: number)
        #expect(actions != nil, "an attempt that was not stopped is wanted")
        carryOut(actions ?? [])
      case .failed, .refused:
        guard let number = attempt else { return }
        attempt = nil
        let code: StatusCode = event == .failed ? .unavailable : .permissionDenied
        carryOut(machine.failed(RPCError(code, "no"), attempt: number, jitter: 0.5))
        if event == .refused { #expect(waiting.isEmpty, "waiting would be of no use") }
      case .retry:
        guard let number = pause else { return }
        pause = nil
        carryOut(machine.retry(attempt: number, now: Moment(nanoseconds: 1)))
      case .lost:
        let lost = current
        machine.lost(isLeaving: false) { $0 == lost }
        current = nil
      case .deadline:
        carryOut(machine.expire(Moment(nanoseconds: 10)))
        #expect(waiting.isEmpty && machine.nextDeadline == nil)
      case .close:
        isClosed = true
        carryOut(machine.close())
        #expect(waiting.isEmpty, "a caller waits for a client that is closed")
        current = nil
      }
    }
  }

  private static func explore(_ world: World, depth: Int) {
    guard depth > 0 else { return }
    for event in World.Event.allCases {
      var next = world
      next.happen(event)
      explore(next, depth: depth - 1)
    }
  }

  @Test func inEveryOrderOfFiveEventsEachCallerIsToldOnce() {
    Self.explore(World(), depth: 5)
  }

  @Test func longRandomOrdersTellEachCallerOnce() throws {
    for seed in 0..<2_000 {
      var random = SeededGenerator(seed: UInt64(seed))
      var world = World()
      for _ in 0..<60 {
        let event = try #require(World.Event.allCases.randomElement(using: &random))
        if event != .close || Int.random(in: 0..<12, using: &random) == 0 { world.happen(event) }
      }
      world.happen(.deadline)
    }
  }

  /// The connector is asked in the time that the first caller had; whoever comes during that may
  /// have more.
  @Test func anAttemptThatRunsOutOfTimeFailsNobodyWhoHasMore() throws {
    var machine = Machine()
    let now = Moment(nanoseconds: 1)
    _ = machine.acquire(
      1, .init(waiter: 1, waitsForReady: true, deadline: Moment(nanoseconds: 10)), now: now)
    _ = machine.acquire(2, .init(waiter: 2, waitsForReady: true, deadline: nil), now: now)
    _ = machine.acquire(3, .init(waiter: 3, waitsForReady: false, deadline: nil), now: now)
    var retries = 0
    for action in machine.failed(
      RPCError(.deadlineExceeded, "too late"), attempt: machine.attempt, jitter: 1)
    {
      switch action {
      case .retry: retries += 1
      // The outcome of this attempt was all that it wanted; but the time that was over was not its
      // own.
      case .fail(3, let error):
        #expect(error.code == .unavailable && error.execution == .notStarted)
      default: Issue.record("\(action)")
      }
    }
    #expect(retries == 1)
    // The one whose time it was learns it from its deadline.
    guard case .fail(1, let error) = machine.expire(Moment(nanoseconds: 10)).first else {
      Issue.record("the first caller was not told")
      return
    }
    #expect(error.code == .deadlineExceeded)
  }

  @Test func pausesGrowToABoundAndStartAgainAfterASuccess() throws {
    var machine = Machine()
    func pause(_ actions: [Machine.Action]) -> Duration? {
      for case .retry(let pause, _) in actions { return pause }
      return nil
    }
    _ = machine.acquire(
      1, .init(waiter: 1, waitsForReady: true, deadline: nil), now: Moment(nanoseconds: 1))
    var pauses: [Duration] = []
    for _ in 0..<12 {
      let actions = machine.failed(
        RPCError(.unavailable, "no"), attempt: machine.attempt, jitter: 1)
      pauses.append(try #require(pause(actions)))
      _ = machine.retry(attempt: machine.attempt, now: Moment(nanoseconds: 1))
    }
    #expect(pauses.first == Machine.firstPause && pauses.last == Machine.longestPause)
    #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 })
    _ = machine.connected(7, generation: 1, attempt: machine.attempt)
    machine.lost(isLeaving: false) { $0 == 7 }
    _ = machine.acquire(
      2, .init(waiter: 2, waitsForReady: true, deadline: nil), now: Moment(nanoseconds: 1))
    let actions = machine.failed(
      RPCError(.unavailable, "no"), attempt: machine.attempt, jitter: 1)
    #expect(pause(actions) == Machine.firstPause)
  }
}

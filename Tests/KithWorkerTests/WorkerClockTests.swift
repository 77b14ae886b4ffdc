import HealthContract
import KithRPC
import KithTime
import Logging
import Synchronization
import Testing

@testable import KithWorker

/// Work that is done when it is due, by clocks that are moved by hand and by those of the machine.
@Suite(.timeLimit(.minutes(1))) struct WorkerClockTests {
  /// Moments at which something is to be done; notes the times at which it was.
  private final class Moments: DueWork {
    let left: Mutex<[Instant]>
    let done = Mutex<[Instant]>([])
    let failures: Mutex<Int>
    let ran = AsyncSignal()

    init(_ left: [Instant], failures: Int = 0) {
      self.left = Mutex(left)
      self.failures = Mutex(failures)
    }

    func nextDue() async throws -> Instant? { left.withLock { $0.min() } }

    func run(at now: Instant) async throws {
      let fails = failures.withLock { count in
        defer { count = max(0, count - 1) }
        return count > 0
      }
      if fails { throw CancellationError() }
      left.withLock { $0.removeAll { $0 <= now } }
      done.withLock { $0.append(now) }
      ran.signal()
    }
  }

  private func at(_ seconds: Int) -> Instant { Instant(seconds: seconds) }

  private func virtual(_ seconds: Int) -> (ClockFaces, WorkerClock) {
    let faces = ClockFaces(virtual: ClockFaces.Virtual(wall: at(seconds), elapsed: .zero))
    return (faces, WorkerClock(faces, logger: Logger(label: "test")))
  }

  @Test func whatIsDueIsDoneWhenTheClockSaysSo() async throws {
    let (faces, clock) = virtual(100)
    let work = Moments([at(150), at(200)])
    clock.run(work)
    #expect(try await clock.settle() == (at(150), 0))
    faces.virtual.wall = at(150)
    #expect(clock.now == at(150))
    #expect(try await clock.settle() == (at(200), 1))
    faces.virtual.wall = at(900)
    let (next, turns) = try await clock.settle()
    #expect(next == nil && turns == 2, "turns count from the start")
    #expect(work.done.withLock(\.self) == [at(150), at(900)])
  }

  @Test func aReadingIsOfAllClocksAtOneMoment() {
    let (faces, clock) = virtual(100)
    faces.virtual = ClockFaces.Virtual(wall: at(7_200), elapsed: .seconds(50))
    let reading = clock.reading
    #expect(reading.wall == at(7_200) && reading.sinceBoot == .seconds(50))
    let machine = WorkerClock()
    let (first, second) = (machine.reading, machine.reading)
    #expect(first.sinceBoot <= second.sinceBoot && first.boot == second.boot)
    #expect(!first.boot.isEmpty && first.boot != reading.boot)
  }

  @Test func whatComesFirstOfSeveralWorksIsNext() async throws {
    for moments in [[200, 150, 300], [150, 300, 200]] {
      let (_, clock) = virtual(100)
      for moment in moments { clock.run(Moments([at(moment)])) }
      #expect(try await clock.settle() == (at(150), 0))
    }
  }

  @Test func aClockThatIsSetBackRunsNothingAgain() async throws {
    let (faces, clock) = virtual(100)
    let work = Moments([at(50), at(200)])
    clock.run(work)
    _ = try await clock.settle()
    faces.virtual.wall = at(10)
    #expect(try await clock.settle() == (at(200), 1))
  }

  @Test func workThatIsNeverDoneIsFound() async throws {
    struct Endless: DueWork {
      func nextDue() async throws -> Instant? { Instant(seconds: 0) }
      func run(at now: Instant) async throws {}
    }
    let (_, clock) = virtual(100)
    clock.run(Endless())
    await #expect(throws: DueWorkError.self) { try await clock.settle() }
  }

  @Test func whatFailsIsTriedAgain() async throws {
    let (_, clock) = virtual(100)
    let work = Moments([at(50)], failures: 1)
    clock.run(work)
    await #expect(throws: CancellationError.self) { try await clock.settle() }
    #expect(try await clock.settle().runs == 1)
  }

  @Test func changedDataAreLookedAtAtOnce() async throws {
    let clock = WorkerClock()
    let work = Moments([])
    clock.run(work)
    clock.begin()
    for count in 1...3 {
      work.left.withLock { $0.append(clock.now - .seconds(1)) }
      clock.dataChanged()
      while work.done.withLock(\.count) < count { await work.ran.wait(atMost: nil) }
    }
    clock.end()
  }

  /// A clock begins within a call of the host, whose deadline would else be that of all calls that
  /// due work makes.
  @Test func dueWorkIsNoPartOfTheCallInWhichTheClockBegins() async throws {
    /// Notes whether it is run within a call.
    final class Witness: DueWork {
      let isWithinCall = Mutex<Bool?>(nil)
      let ran = AsyncSignal()
      func nextDue() async throws -> Instant? {
        isWithinCall.withLock { $0 == nil } ? Instant(seconds: 0) : nil
      }
      func run(at now: Instant) async throws {
        isWithinCall.withLock { $0 = CallContext.current != nil }
        ran.signal()
      }
    }
    let call = CallContext(method: HealthMethods.all[0], metadata: [:])
    for beginsFirst in [true, false] {
      let clock = WorkerClock()
      let work = Witness()
      CallContext.$current.withValue(call) {
        if beginsFirst { clock.begin() }
        clock.run(work)
        if !beginsFirst { clock.begin() }
      }
      await work.ran.wait(atMost: nil)
      clock.end()
      #expect(work.isWithinCall.withLock(\.self) == false)
    }
  }

  @Test func theMachinesTimeBringsWhatIsDue() async throws {
    let clock = WorkerClock()
    let work = Moments([clock.now + .milliseconds(30), clock.now + .milliseconds(60)])
    clock.begin()
    clock.run(work)
    while !work.left.withLock(\.isEmpty) { await work.ran.wait(atMost: nil) }
    clock.end()
    #expect(!clock.isVirtual && clock.sinceBoot >= clock.awake - .milliseconds(1))
  }
}

/// A signal resumes one task, and none is lost.
@Suite struct AsyncSignalTests {
  @Test func aRingBeforeTheWaitIsKept() async {
    let signal = AsyncSignal()
    signal.signal()
    await signal.wait(atMost: nil)
  }

  @Test func aWaitEndsByItself() async {
    let signal = AsyncSignal()
    for _ in 0..<50 { await signal.wait(atMost: .microseconds(1)) }
  }

  @Test func aCancelledTaskWaitsNoMore() async {
    let signal = AsyncSignal()
    let task = Task { await signal.wait(atMost: nil) }
    task.cancel()
    await task.value
  }
}

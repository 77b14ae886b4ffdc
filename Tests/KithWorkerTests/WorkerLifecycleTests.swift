import KithRPC
import Testing

@testable import KithWorker

@Suite struct WorkerLifecycleTests {
  /// What can happen to a worker.
  private enum Event: CaseIterable {
    case handshake, wrongHandshake, foreignHandshake, configure, start, started, notStarted, drain
    case terminate, drained
  }

  private enum Answer: Equatable {
    case taken
    case refused(StatusCode)
    case ending(WorkerLifecycle.Ending)
  }

  private func apply(_ event: Event, to lifecycle: inout WorkerLifecycle) -> Answer {
    do throws(RPCError) {
      switch event {
      case .handshake:
        #expect(try lifecycle.handshake(isProven: true, versions: 0...9) == 1)
      case .wrongHandshake: _ = try lifecycle.handshake(isProven: false, versions: 1...1)
      case .foreignHandshake: _ = try lifecycle.handshake(isProven: true, versions: 2...9)
      case .configure: try lifecycle.configure()
      case .start: try lifecycle.start()
      case .started: try lifecycle.started(true)
      case .notStarted: try lifecycle.started(false)
      case .drain: return .ending(try lifecycle.drain(.seconds(1)))
      case .terminate: return .ending(lifecycle.terminate(.seconds(2)))
      case .drained: lifecycle.drained()
      }
      return .taken
    } catch {
      return .refused(error.code)
    }
  }

  /// What is right, written as a table apart from the code: the next phase and the answer.
  private func expected(
    _ phase: WorkerLifecycle.Phase, _ event: Event, isSecondTermination: Bool
  ) -> (WorkerLifecycle.Phase, Answer) {
    switch (event, phase) {
    case (.wrongHandshake, _): (phase, .refused(.permissionDenied))
    case (.handshake, .ended), (.foreignHandshake, .ended): (phase, .refused(.unavailable))
    case (.foreignHandshake, _): (phase, .refused(.failedPrecondition))
    case (.handshake, .spawned): (.handshaken, .taken)
    case (.handshake, _): (phase, .taken)
    case (.configure, .handshaken): (.configured, .taken)
    case (.start, .configured): (.starting, .taken)
    case (.started, .starting): (.ready, .taken)
    case (.notStarted, .starting): (.failed, .taken)
    case (.started, _), (.notStarted, _): (phase, .refused(.unavailable))
    case (.configure, .draining), (.configure, .ended), (.start, .draining), (.start, .ended):
      (phase, .refused(.unavailable))
    case (.configure, _), (.start, _), (.drain, .spawned): (phase, .refused(.failedPrecondition))
    case (.terminate, _) where isSecondTermination: (.ended, .ending(.leaveNow))
    case (.drain, .draining), (.drain, .ended), (.terminate, .draining), (.terminate, .ended):
      (phase, .ending(.goOn))
    case (.drain, _): (.draining, .ending(.drain(.seconds(1))))
    case (.terminate, _): (.draining, .ending(.drain(.seconds(2))))
    case (.drained, _): (.ended, .taken)
    }
  }

  /// Every event in every state that any order of events can lead to. The states are few, so going
  /// through them all is going through all orders, of whatever length.
  @Test func everyOrderOfEventsIsDecided() {
    var reached: Set<WorkerLifecycle> = [WorkerLifecycle()]
    var open = [(lifecycle: WorkerLifecycle(), wasTerminated: false)]
    while let (lifecycle, wasTerminated) = open.popLast() {
      for event in Event.allCases {
        var next = lifecycle
        let (phase, answer) = expected(lifecycle.phase, event, isSecondTermination: wasTerminated)
        let found = apply(event, to: &next)
        #expect(next.phase == phase, "\(lifecycle.phase) + \(event)")
        #expect(found == answer, "\(lifecycle.phase) + \(event)")
        if reached.insert(next).inserted {
          open.append((next, wasTerminated || event == .terminate))
        }
      }
    }
    #expect(Set(reached.map(\.phase)).count == 8)
    // Draining and ended also with the memory of a signal.
    #expect(reached.count == 10)
  }

  @Test func agreesOnTheHighestCommonVersion() throws {
    var lifecycle = WorkerLifecycle()
    #expect(try lifecycle.handshake(isProven: true, versions: 1...1) == 1)
    #expect(try lifecycle.handshake(isProven: true, versions: 0...100) == 1)
    let error = #expect(throws: RPCError.self) {
      try lifecycle.handshake(isProven: true, versions: 7...9)
    }
    #expect(error?.message.contains("7 to 9") == true)
  }
}

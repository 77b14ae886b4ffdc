import Dispatch
import Testing

@testable import KithRPC

@Suite(.timeLimit(.minutes(1)))
struct CallExecutorTests {
  /// All calls of one read are one turn. The first one's handler blocks; nobody else may wait for it.
  @Test func aJobThatBlocksItsThreadKeepsNoOtherOfItsTurnWaiting() async {
    let gate = DispatchSemaphore(value: 0)
    let block: @Sendable () -> Void = { gate.wait() }
    let (others, other) = AsyncStream<Int>.makeStream()
    DispatchQueue(label: "a transport's thread").async {
      let executor = CallExecutor.shared
      executor.beginTurn()
      Task(executorPreference: executor) { block() }
      for number in 1...3 { Task(executorPreference: executor) { other.yield(number) } }
      executor.endTurn()
    }
    var seen: Set<Int> = []
    for await number in others {
      seen.insert(number)
      if seen.count == 3 { break }
    }
    gate.signal()
    #expect(seen == [1, 2, 3])
  }
}

import KithSupervision
import Testing

@testable import KithHost

@Suite struct EventQueueTests {
  @Test func anEventThatArisesWaitsForTheOneBeforeIt() {
    var queue = EventQueue()
    let isFirstToBeHandled = queue.add(.timePassed)
    let first = queue.next()
    #expect(isFirstToBeHandled && first == .timePassed)
    let others = [.shutDownAsked, .wantedUp(worker: "odd")].map { queue.add($0) }
    #expect(others == [false, false])
    let next = (0..<3).map { _ in queue.next() }
    #expect(next == [.shutDownAsked, .wantedUp(worker: "odd"), nil])
    let isToBeHandled = queue.add(.timePassed)
    #expect(isToBeHandled)
  }
}

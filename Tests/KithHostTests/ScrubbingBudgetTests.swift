import Testing

@testable import KithHost

/// What one worker's output may take of the thread that scrubs.
@Suite struct ScrubbingBudgetTests {
  private let limits = ScrubbingBudget.Limits(
    bytesPerSecond: 1000, burstBytes: 5000, processorShare: 0.5, burstTime: .seconds(2))
  private let start = ContinuousClock.now

  @Test func aWorkerThatWasSilentMayWriteABurst() {
    var budget = ScrubbingBudget(limits, at: start)
    #expect(budget.opensAt == start)
    budget.charge(bytes: 5000, time: .zero, at: start)
    #expect(budget.opensAt == start)
    budget.charge(bytes: 1, time: .zero, at: start)
    #expect(budget.opensAt == start + .milliseconds(1))
  }

  @Test func bytesComeBackAtTheirRateAndNoMoreThanABurst() {
    var budget = ScrubbingBudget(limits, at: start)
    budget.charge(bytes: 8000, time: .zero, at: start)
    #expect(budget.opensAt == start + .seconds(3))
    let later = start + .seconds(100)
    budget.charge(bytes: 7000, time: .zero, at: later)
    #expect(budget.opensAt == later + .seconds(2))
  }

  @Test func timeIsAShareOfOneProcessor() {
    var budget = ScrubbingBudget(limits, at: start)
    budget.charge(bytes: 0, time: .seconds(2), at: start)
    #expect(budget.opensAt == start)
    budget.charge(bytes: 0, time: .seconds(1), at: start)
    #expect(budget.opensAt == start + .seconds(2))
    let later = start + .seconds(100)
    budget.charge(bytes: 0, time: .seconds(4), at: later)
    #expect(budget.opensAt == later + .seconds(4))
  }

  @Test func whicheverRunsOutLastsLonger() {
    var budget = ScrubbingBudget(limits, at: start)
    budget.charge(bytes: 6000, time: .seconds(3), at: start)
    #expect(budget.opensAt == start + .seconds(2))
    var other = ScrubbingBudget(limits, at: start)
    other.charge(bytes: 9000, time: .seconds(3), at: start)
    #expect(other.opensAt == start + .seconds(4))
  }
}

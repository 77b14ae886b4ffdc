import DeliveryDomain
import KithTime
import Testing

/// Who is next, and when a channel is said to fail.
@Suite struct FairnessTests {
  @Test func eachPersonHasATurnAndTheUrgentComeFirst() {
    var queue = FairQueue<Int>()
    for number in 0..<1000 { queue.add(number, rank: 2, person: "ada") }
    queue.add(2000, rank: 2, person: "bob")
    queue.add(3000, rank: 5, person: "eve")
    queue.add(4000, rank: 0, person: "bob")
    #expect([queue.next(), queue.next(), queue.next(), queue.next()] == [3000, 0, 2000, 1])
    var rest: [Int] = []
    while let ticket = queue.next() { rest.append(ticket) }
    #expect(rest == Array(2..<1000) + [4000])
    #expect(queue.count == 0)
  }

  /// 9.6, 19: more than 2 % failed, and fewer than 20 attempts say nothing.
  @Test func aChannelFailsFromTwoPercentOfTwentyAttempts() {
    #expect(!AttemptWindow.isFailing(attempts: 19, failures: 19))
    #expect(AttemptWindow.isFailing(attempts: 20, failures: 1))
    #expect(!AttemptWindow.isFailing(attempts: 20, failures: 0))
    #expect(!AttemptWindow.isFailing(attempts: 50, failures: 1))
    #expect(!AttemptWindow.isFailing(attempts: 10_000, failures: 200))
    #expect(AttemptWindow.isFailing(attempts: 10_000, failures: 201))
  }

  @Test func onlyTheLastFifteenMinutesCount() {
    var window = AttemptWindow()
    let start = Instant(seconds: 600_000)
    for minute in 0..<30 {
      window.add(failed: minute < 10, at: start + .seconds(minute * 60))
    }
    let end = start + .seconds(29 * 60)
    #expect(window.counts(at: end) == (15, 0))
    #expect(window.counts(at: end + .seconds(14 * 60)) == (1, 0))
    // A clock that was set back forgets what it once showed.
    window.add(failed: true, at: start)
    #expect(window.counts(at: start) == (1, 1))
  }
}

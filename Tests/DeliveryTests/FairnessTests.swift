import DeliveryDomain
import DeliveryService
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

  @Test func aPaceHoldsItsRateWhateverTheClockShows() throws {
    var pace = SendingPace(perSecond: 5)
    var now = Instant(seconds: 600_000)
    #expect((0..<5).allSatisfy { _ in pace.take(at: now) == nil })
    #expect(pace.take(at: now) == now + .milliseconds(200))
    // A second that nobody used is the most that is saved.
    now = now + .seconds(60)
    #expect((0..<5).allSatisfy { _ in pace.take(at: now) == nil })
    #expect(pace.take(at: now) != nil)
    // A clock that is set back and on again gives nothing away.
    #expect(pace.take(at: now + .seconds(-60)) != nil)
    var taken = 0
    let end = now + .seconds(10)
    while let next = pace.take(at: now) ?? Optional(now), next < end {
      if next == now { taken += 1 }
      now = next
    }
    #expect((45...56).contains(taken), "\(taken)")
  }

  @Test func settingsNameAProviderAndARate() throws {
    #expect(
      try DeliverySettings(rates: ["twilio=10", "smtp=1"]).rates == ["twilio": 10, "smtp": 1])
    for wrong in ["twilio", "twilio=0", "pigeon=1", "=1", "twilio=x", "twilio=1=2", "fcm=10001"] {
      #expect(throws: (any Error).self) { try DeliverySettings(rates: [wrong]) }
    }
    #expect(throws: (any Error).self) { try DeliverySettings(rates: ["fcm=1", "fcm=2"]) }
  }
}

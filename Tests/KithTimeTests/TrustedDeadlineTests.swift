import KithTime
import Testing

/// A deadline that is counted by the clock that is never set.
@Suite struct TrustedDeadlineTests {
  private static let length = Duration.seconds(60)

  private func reading(
    wall: Int, up: Int, boot: String = "one"
  ) -> ClockReading {
    ClockReading(wall: Instant(seconds: wall), sinceBoot: .seconds(up), boot: boot)
  }

  private func deadline() -> TrustedDeadline {
    TrustedDeadline(Self.length, from: reading(wall: 10_000, up: 500))
  }

  @Test func itEndsWhenItsLengthHasPassed() {
    let deadline = deadline()
    let before = ClockReading(
      wall: Instant(milliseconds: 10_059_999), sinceBoot: .milliseconds(559_999), boot: "one")
    #expect(!deadline.isOver(at: before))
    #expect(deadline.remaining(at: before) == .milliseconds(1))
    #expect(deadline.isOver(at: reading(wall: 10_060, up: 560)))
    #expect(deadline.instant(at: reading(wall: 10_010, up: 510)) == Instant(seconds: 10_060))
  }

  @Test(arguments: [3_600, -3_600, 86_400 * 365])
  func aWallClockThatIsSetDoesNotMoveIt(_ step: Int) {
    let deadline = deadline()
    let (early, late) = (
      reading(wall: 10_059 + step, up: 559), reading(wall: 10_060 + step, up: 560)
    )
    #expect(!deadline.isOver(at: early) && deadline.isOver(at: late))
    // What the wall clock will show then moves with it.
    #expect(deadline.instant(at: early) == Instant(seconds: 10_060 + step))
  }

  @Test func overARebootTheWallClockTellsHowLongTheMachineWasDown() {
    let deadline = deadline()
    let booted = reading(wall: 10_040, up: 5, boot: "two")
    #expect(deadline.remaining(at: booted) == .seconds(20))
    let moved = deadline.moved(to: booted)
    #expect(moved.boot == "two" && moved.length == Self.length)
    // From here on the wall clock counts no more.
    #expect(!moved.isOver(at: reading(wall: 90_000, up: 24, boot: "two")))
    #expect(moved.isOver(at: reading(wall: 0, up: 25, boot: "two")))
  }

  @Test func aRebootWithAWrongClockMakesItNoLongerThanItIs() {
    let deadline = deadline()
    #expect(deadline.remaining(at: reading(wall: 0, up: 5, boot: "two")) == Self.length)
    #expect(deadline.isOver(at: reading(wall: 99_999, up: 5, boot: "two")))
  }

  @Test func aClockThatBeginsAnewUnderItsNameIsAnotherOne() {
    let deadline = deadline()
    let again = reading(wall: 10_030, up: 0)
    #expect(!deadline.counts(at: again))
    #expect(deadline.remaining(at: again) == .seconds(30))
  }

  @Test func itIsMadeOfWhatIsStored() {
    let deadline = deadline()
    let stored = TrustedDeadline(
      length: deadline.length, boot: deadline.boot, end: deadline.end, wallEnd: deadline.wallEnd)
    #expect(stored == deadline)
    #expect(deadline.elapsed(at: reading(wall: 10_010, up: 510)) == .seconds(10))
  }
}

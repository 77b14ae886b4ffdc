import KithTime
import Testing

/// Time that nobody gains by setting a clock.
@Suite struct TrustedClockTests {
  private func reading(wall: Int, up: Int, boot: String = "one") -> ClockReading {
    ClockReading(wall: Instant(seconds: wall), sinceBoot: .seconds(up), boot: boot)
  }

  private func clock() -> TrustedClock {
    TrustedClock(startingAt: reading(wall: 10_000, up: 500))
  }

  @Test(arguments: [86_400, -86_400, 6, -6, 10 * 365 * 86_400])
  func aStepOfTheWallClockIsNoticedAndNotFollowed(_ step: Int) {
    var clock = clock()
    let verdict = clock.advance(to: reading(wall: 10_060 + step, up: 560), isWallKept: false)
    #expect(verdict.step == .seconds(step))
    #expect(verdict.isTrusted && verdict.elapsed == .seconds(60))
    #expect(clock.now == Instant(seconds: 10_060))
    // It is told once.
    let next = clock.advance(to: reading(wall: 10_120 + step, up: 620), isWallKept: false)
    #expect(next.step == nil && clock.now == Instant(seconds: 10_120))
  }

  @Test func aWallClockThatIsKeptMovesItNoFasterThanTheKernelWould() {
    var clock = clock()
    let verdict = clock.advance(to: reading(wall: 12_004, up: 2_500), isWallKept: true)
    #expect(verdict.step == nil)
    #expect(clock.now == Instant(seconds: 12_001))
    _ = clock.advance(to: reading(wall: 13_990, up: 4_500), isWallKept: true)
    #expect(clock.now == Instant(seconds: 14_000))
  }

  @Test func afterARebootAKeptWallClockCounts() {
    var clock = clock()
    let verdict = clock.advance(
      to: reading(wall: 10_600, up: 20, boot: "two"), isWallKept: true)
    #expect(verdict.isNewBoot && verdict.isTrusted)
    #expect(clock.now == Instant(seconds: 10_600))
  }

  @Test func afterARebootNoOtherWallClockCountsUntilAsMuchUptimeHasPassed() {
    var clock = clock()
    // Six hours ahead, it says.
    let six = 6 * 3600
    let first = clock.advance(
      to: reading(wall: 10_000 + six, up: 20, boot: "two"), isWallKept: false)
    #expect(!first.isTrusted && clock.now == Instant(seconds: 10_020))
    _ = clock.advance(
      to: reading(wall: 10_000 + 2 * six - 21, up: six - 1, boot: "two"), isWallKept: false)
    #expect(!clock.isTrusted)
    _ = clock.advance(to: reading(wall: 10_000 + 2 * six, up: six, boot: "two"), isWallKept: false)
    #expect(clock.isTrusted)
    #expect(clock.now == Instant(seconds: 10_000 + six))
  }

  @Test func aSecondRebootWithAnotherWallClockProvesNothing() {
    var clock = clock()
    _ = clock.advance(to: reading(wall: 96_400, up: 20, boot: "two"), isWallKept: false)
    let verdict = clock.advance(
      to: reading(wall: 10_000, up: 20, boot: "three"), isWallKept: false)
    #expect(!verdict.isTrusted && clock.now == Instant(seconds: 10_040))
    // The network's time ends the doubt.
    let kept = clock.advance(
      to: reading(wall: 20_000, up: 30, boot: "three"), isWallKept: true)
    #expect(kept.isTrusted && clock.now == Instant(seconds: 20_000))
  }

  @Test func aWallClockThatGoesBackOverARebootHoldsIt() {
    var clock = clock()
    let verdict = clock.advance(to: reading(wall: 0, up: 5, boot: "two"), isWallKept: false)
    #expect(clock.now == Instant(seconds: 10_005))
    #expect(verdict.step == .seconds(-10_000))
    _ = clock.advance(to: reading(wall: 50, up: 55, boot: "two"), isWallKept: true)
    #expect(clock.now > Instant(seconds: 10_054))
  }

  @Test func readingsOutOfOrderTakeNothingBack() {
    var clock = clock()
    let verdict = clock.advance(to: reading(wall: 9_999, up: 499), isWallKept: false)
    #expect(verdict.elapsed == .zero && clock.now == Instant(seconds: 10_000))
  }

  /// Whatever is set and restarted, no more time passes than does in the world, and without a
  /// reboot no less.
  @Test func itNeverRunsAheadOfTheWorld() {
    var random = SplitMix(state: 41)
    for _ in 0..<2_000 {
      var world = 1_000_000
      var (up, boot, offset) = (500, 0, 0)
      var clock = TrustedClock(startingAt: reading(wall: world, up: up, boot: "0"))
      let begin = world
      var hasRebooted = false
      for _ in 0..<40 {
        let passed = Int(random.next() % 4_000)
        world += passed
        switch random.next() % 8 {
        case 0:
          offset = Int(random.next() % 200_000) - 100_000
          up += passed
        case 1:
          boot += 1
          up = Int(random.next() % UInt64(passed + 1))
          offset = Int(random.next() % 200_000) - 100_000
          hasRebooted = true
        default: up += passed
        }
        _ = clock.advance(
          to: reading(wall: world + offset, up: up, boot: "\(boot)"), isWallKept: false)
        #expect(clock.now <= Instant(seconds: world))
        #expect(hasRebooted || clock.now == Instant(seconds: world))
        #expect(clock.now >= Instant(seconds: begin))
      }
    }
  }
}

/// A generator of the same numbers each time.
private struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

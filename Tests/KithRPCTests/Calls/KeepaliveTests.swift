import Testing

@testable import KithRPC

/// Slow is told from dead.
struct KeepaliveTests {
  private let limits = RPCLimits(
    keepaliveInterval: .microseconds(12), keepaliveTimeout: .microseconds(5))

  private func moment(_ microseconds: UInt64) -> Moment { Moment(nanoseconds: microseconds * 1000) }

  /// Looks whenever it wants to, from `start` on, at a worker that says nothing: what it decides,
  /// and when.
  private func verdicts(
    _ keepalive: inout Keepalive, from start: UInt64, to end: UInt64
  ) -> [UInt64: Keepalive.Verdict] {
    var found: [UInt64: Keepalive.Verdict] = [:]
    for time in start...end {
      let verdict = keepalive.check(moment(time), isBusy: true)
      if verdict != .fine { found[time] = verdict }
    }
    return found
  }

  @Test func aWorkerThatSaysNothingIsAskedAndThenGivenUp() {
    var keepalive = Keepalive(limits: limits)
    #expect(keepalive.callOpened(moment(100)) == moment(103))
    #expect(keepalive.callOpened(moment(101)) == nil, "one check is enough")
    #expect(
      verdicts(&keepalive, from: 100, to: 117)
        == [112: .probe(1), 117: .dead(silence: .microseconds(5))])
  }

  @Test func anySignOfLifeIsEnough() {
    var keepalive = Keepalive(limits: limits)
    _ = keepalive.callOpened(moment(0))
    for time: UInt64 in 1...60 {
      if time % 10 == 0 { keepalive.heard() }
      #expect(keepalive.check(moment(time), isBusy: true) == .fine)
    }
    #expect(verdicts(&keepalive, from: 61, to: 72) == [72: .probe(1)])
    keepalive.heard()
    #expect(verdicts(&keepalive, from: 73, to: 89) == [89: .probe(2)])
  }

  @Test func silenceIsFoundAQuarterOfTheIntervalLateAtMost() {
    for last: UInt64 in 1...30 {
      var keepalive = Keepalive(limits: limits)
      _ = keepalive.callOpened(moment(0))
      for time in 0...last {
        keepalive.heard()
        _ = keepalive.check(moment(time), isBusy: true)
      }
      let asked = verdicts(&keepalive, from: last + 1, to: last + 15).keys.min()
      #expect(asked.map { (12...15).contains($0 - last) } == true, "last heard of at \(last)")
    }
  }

  @Test func anIdleConnectionIsLeftAlone() {
    var keepalive = Keepalive(limits: limits)
    _ = keepalive.callOpened(moment(0))
    #expect(keepalive.check(moment(3), isBusy: false) == .fine)
    #expect(keepalive.nextCheck == nil)
    #expect(keepalive.callOpened(moment(50)) == moment(53))
    #expect(verdicts(&keepalive, from: 50, to: 62) == [62: .probe(1)])
    #expect(keepalive.check(moment(67), isBusy: false) == .fine, "the call has ended meanwhile")
    #expect(keepalive.callOpened(moment(70)) == moment(73))
    #expect(
      verdicts(&keepalive, from: 70, to: 82) == [82: .probe(2)], "and the next one starts afresh")
  }
}

import Testing

@testable import KithRPC

/// Slow is told from dead.
struct KeepaliveTests {
  private let limits = RPCLimits(
    keepaliveInterval: .microseconds(10), keepaliveTimeout: .microseconds(5))

  private func moment(_ microseconds: UInt64) -> Moment { Moment(nanoseconds: microseconds * 1000) }

  @Test func aWorkerThatSaysNothingIsAskedAndThenGivenUp() {
    var keepalive = Keepalive(limits: limits)
    #expect(keepalive.callOpened(moment(100)) == moment(110))
    #expect(keepalive.callOpened(moment(105)) == nil, "one check is enough")
    #expect(keepalive.check(moment(109), isBusy: true) == .fine)
    #expect(keepalive.check(moment(110), isBusy: true) == .probe(1))
    #expect(keepalive.check(moment(114), isBusy: true) == .fine)
    #expect(keepalive.check(moment(115), isBusy: true) == .dead(silence: .microseconds(5)))
  }

  @Test func anySignOfLifeIsEnough() {
    var keepalive = Keepalive(limits: limits)
    _ = keepalive.callOpened(moment(0))
    for round: UInt64 in 1...5 {
      keepalive.heard()
      #expect(keepalive.check(moment(round * 10), isBusy: true) == .fine)
    }
    #expect(keepalive.check(moment(60), isBusy: true) == .probe(1))
    keepalive.heard()
    #expect(keepalive.check(moment(65), isBusy: true) == .fine)
    #expect(keepalive.check(moment(75), isBusy: true) == .probe(2))
  }

  @Test func anIdleConnectionIsLeftAlone() {
    var keepalive = Keepalive(limits: limits)
    _ = keepalive.callOpened(moment(0))
    #expect(keepalive.check(moment(10), isBusy: false) == .fine)
    #expect(keepalive.nextCheck == nil)
    #expect(keepalive.callOpened(moment(50)) == moment(60))
    #expect(keepalive.check(moment(60), isBusy: true) == .probe(1))
    #expect(keepalive.check(moment(65), isBusy: false) == .fine, "the call has ended meanwhile")
    #expect(keepalive.callOpened(moment(70)) == moment(80))
    #expect(
      keepalive.check(moment(80), isBusy: true) == .probe(2), "and the next one starts afresh")
  }
}

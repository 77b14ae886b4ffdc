/// Tells a slow worker from a dead one: a value.
///
/// While calls are in progress and nothing has come in for a while, the worker is asked for a sign
/// of life, which its reading thread gives, however busy its handlers are. One that gives none is
/// stuck or stopped.
struct Keepalive {
  /// What a check finds.
  enum Verdict: Equatable {
    /// Nothing needs to be done.
    case fine
    /// A ping of this number must be sent.
    case probe(UInt64)
    /// No answer came to a ping in time.
    case dead(silence: Duration)
  }

  /// How many looks make up an interval: silence that began just after a look is found a part of
  /// the interval late, no more.
  private static let looks = 4

  private let pause: Duration
  private let timeout: Duration
  private var hasHeard = false
  /// How many looks in a row found nothing.
  private var silentLooks = 0
  private var lastPing: UInt64 = 0
  private var isWaitingForPong = false
  /// When to check next; nil while there is nothing to check.
  private(set) var nextCheck: Moment?

  /// A keepalive of the given limits.
  init(limits: RPCLimits) {
    pause = limits.keepaliveInterval / Self.looks
    timeout = limits.keepaliveTimeout
  }

  /// A call was opened at `now`: answers when to check, unless that is known already.
  mutating func callOpened(_ now: @autoclosure () -> Moment) -> Moment? {
    guard nextCheck == nil else { return nil }
    hasHeard = false
    silentLooks = 0
    nextCheck = now().advanced(by: pause)
    return nextCheck
  }

  /// Bytes came in. Whether they are the pong or anything else: the worker lives.
  mutating func heard() { hasHeard = true }

  /// The time to check has come, or another one at which it is no use.
  mutating func check(_ now: Moment, isBusy: Bool) -> Verdict {
    guard let due = nextCheck, due <= now else { return .fine }
    guard isBusy else {
      isWaitingForPong = false
      nextCheck = nil
      return .fine
    }
    if hasHeard {
      hasHeard = false
      isWaitingForPong = false
      silentLooks = 0
      nextCheck = now.advanced(by: pause)
      return .fine
    }
    guard !isWaitingForPong else { return .dead(silence: timeout) }
    silentLooks += 1
    guard silentLooks >= Self.looks else {
      nextCheck = now.advanced(by: pause)
      return .fine
    }
    silentLooks = 0
    isWaitingForPong = true
    lastPing += 1
    nextCheck = now.advanced(by: timeout)
    return .probe(lastPing)
  }
}

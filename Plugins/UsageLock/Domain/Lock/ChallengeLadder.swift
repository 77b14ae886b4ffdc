public import KithTime

/// The challenges of a person: one at a time, for a minute, for three answers and one that is
/// accepted; and the pauses after answers that were wrong.
public struct ChallengeLadder: Sendable, Hashable {
  /// Why an answer is not looked at.
  public enum Refusal: Error, Sendable, Hashable {
    /// There is no such challenge, or it was answered, or another was begun.
    case unknown
    /// Its time is over.
    case expired
    /// No answer is taken until then.
    case coolingDown(until: Instant)
  }

  /// How long a challenge can be answered.
  public static let lifetime = Duration.seconds(60)
  /// How many answers it takes.
  public static let tries = 3
  /// The pauses after the third wrong answer in a row, the fourth, and each that follows.
  public static let pauses: [Duration] = [.seconds(15), .seconds(45), .seconds(120)]

  /// The open challenge; nil for none.
  public var id: String?
  /// Until when it can be answered.
  public var expires: Instant?
  /// How many more answers it takes.
  public var triesLeft: Int
  /// How many wrong answers there were in a row.
  public var failures: Int
  /// Until when no answer is taken; nil for no pause.
  public var coolDownUntil: Instant?

  /// A ladder, new or as it was stored.
  public init(
    id: String? = nil, expires: Instant? = nil, triesLeft: Int = 0, failures: Int = 0,
    coolDownUntil: Instant? = nil
  ) {
    self.id = id
    self.expires = expires
    self.triesLeft = triesLeft
    self.failures = failures
    self.coolDownUntil = coolDownUntil
  }

  /// Begins a challenge in place of the one before.
  public mutating func begin(_ id: String, at now: Instant) throws(Refusal) {
    try checkPause(now)
    self.id = id
    expires = now + Self.lifetime
    triesLeft = Self.tries
  }

  /// Whether an answer may be looked at.
  public func check(_ id: String, at now: Instant) throws(Refusal) {
    guard let open = self.id, open == id, triesLeft > 0, let expires else { throw .unknown }
    guard now < expires else { throw .expired }
    try checkPause(now)
  }

  /// Notes what became of an answer that ``check(_:at:)`` let through.
  public mutating func note(isAccepted: Bool, at now: Instant) {
    guard !isAccepted else {
      self = ChallengeLadder()
      return
    }
    triesLeft -= 1
    failures = min(failures + 1, 1_000)
    if triesLeft == 0 { (id, expires) = (nil, nil) }
    guard failures >= Self.tries else { return }
    coolDownUntil = now + Self.pauses[min(failures - Self.tries, Self.pauses.count - 1)]
  }

  private func checkPause(_ now: Instant) throws(Refusal) {
    if let until = coolDownUntil, now < until { throw .coolingDown(until: until) }
  }
}

public import KithTime

/// The emergency passes of a person: one is open at a time, and one is used a day; and the pauses
/// after wrong PINs.
public struct PassBook: Sendable, Hashable {
  /// Why a pass is not taken.
  public enum Refusal: Error, Sendable, Hashable {
    /// There is no such pass, or it was used, or another was begun.
    case unknown
    /// It can be used from then on; its time is over.
    case tooEarly(from: Instant)
    case expired
    /// Today's was used.
    case usedToday(next: Instant)
    /// No PIN is taken until then.
    case coolingDown(until: Instant)
  }

  /// In which to think again, before a pass can be used.
  public static let hold = Duration.seconds(8)
  /// How long it can be used then.
  public static let lifetime = Duration.seconds(60)

  /// The pass that is open; nil for none.
  public var id: String?
  /// From when on it can be used.
  public var usableFrom: Instant?
  /// Until when it can be used.
  public var expires: Instant?
  /// Whether one was used today.
  public var isUsed: Bool
  /// Until when everything is open; nil where nothing is.
  public var openUntil: Instant?
  /// How many wrong PINs there were in a row.
  public var failures: Int
  /// Until when no PIN is taken; nil for no pause.
  public var coolDownUntil: Instant?

  /// A book, new or as it was stored.
  public init(
    id: String? = nil, usableFrom: Instant? = nil, expires: Instant? = nil, isUsed: Bool = false,
    openUntil: Instant? = nil, failures: Int = 0, coolDownUntil: Instant? = nil
  ) {
    self.id = id
    self.usableFrom = usableFrom
    self.expires = expires
    self.isUsed = isUsed
    self.openUntil = openUntil
    self.failures = failures
    self.coolDownUntil = coolDownUntil
  }

  /// Begins a pass in place of the one before.
  /// - Parameter dayEnd: when the next one can be had, if today's was used.
  public mutating func begin(_ id: String, at now: Instant, dayEnd: Instant) throws(Refusal) {
    guard !isUsed else { throw .usedToday(next: dayEnd) }
    try checkPause(now)
    self.id = id
    usableFrom = now + Self.hold
    expires = now + Self.hold + Self.lifetime
  }

  /// Whether a pass may be used now.
  public func check(_ id: String, at now: Instant, dayEnd: Instant) throws(Refusal) {
    guard !isUsed else { throw .usedToday(next: dayEnd) }
    guard let open = self.id, open == id, let usableFrom, let expires else { throw .unknown }
    guard now < expires else { throw .expired }
    guard now >= usableFrom else { throw .tooEarly(from: usableFrom) }
    try checkPause(now)
  }

  /// Whether a PIN may be tried.
  public func checkPause(_ now: Instant) throws(Refusal) {
    if let until = coolDownUntil, now < until { throw .coolingDown(until: until) }
  }

  /// Notes a PIN that was tried.
  public mutating func notePIN(isRight: Bool, at now: Instant) {
    guard !isRight else {
      (failures, coolDownUntil) = (0, nil)
      return
    }
    failures = min(failures + 1, 1_000)
    guard failures >= ChallengeLadder.tries else { return }
    coolDownUntil =
      now
      + ChallengeLadder.pauses[
        min(failures - ChallengeLadder.tries, ChallengeLadder.pauses.count - 1)]
  }

  /// Uses the open pass.
  public mutating func use(for length: Duration, at now: Instant) {
    (id, usableFrom, expires) = (nil, nil, nil)
    isUsed = true
    openUntil = now + length
  }
}

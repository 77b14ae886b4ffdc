public import KithTime

/// What somebody has used of a quota: reserved before the work, counted with its success.
///
/// A value: the shell reads it, asks it, and writes it, in one transaction.
public struct Quota: Sendable, Hashable {
  /// How long a reservation holds without a word.
  public static let holds = Duration.seconds(60)
  /// How long the end of a reservation is remembered, for repeats.
  public static let remembers = Duration.seconds(24 * 3600)

  /// What became of a reservation.
  public enum State: Sendable, Hashable {
    /// Nothing yet.
    case held
    /// Counted, so much of it.
    case committed(Int)
    /// Given back.
    case released
  }

  /// Something that is about to be used.
  public struct Reservation: Sendable, Hashable {
    /// How much.
    public var amount: Int
    /// When it frees itself, or is forgotten after its end.
    public var expires: Instant
    /// What became of it.
    public var state: State

    /// A reservation.
    public init(amount: Int, expires: Instant, state: State = .held) {
      (self.amount, self.expires, self.state) = (amount, expires, state)
    }
  }

  /// What was answered to a wish.
  public enum Answer: Sendable, Hashable {
    /// Granted; so much is left after it.
    case granted(remaining: Int)
    /// Granted, and more than is fair: to be told.
    case overFairUse(used: Int)
    /// Refused: so much is left.
    case exhausted(remaining: Int)
    /// The reservation is not known, or is over.
    case unknown
  }

  /// What was counted in this window.
  public private(set) var used: Int
  /// By idempotency key.
  public private(set) var reservations: [String: Reservation]

  /// As it was kept.
  public init(used: Int = 0, reservations: [String: Reservation] = [:]) {
    (self.used, self.reservations) = (used, reservations)
  }

  /// What is reserved.
  public var reserved: Int {
    reservations.values.reduce(0) { $0 + ($1.state == .held ? $1.amount : 0) }
  }

  /// Begins a new window. What is reserved stays so, and counts in the window of its end.
  public mutating func reset() { used = 0 }

  /// Frees reservations whose time is over, and forgets old ends.
  public mutating func expire(at now: Instant) {
    reservations = reservations.filter { $0.value.expires > now }
  }

  /// Reserves an amount. The same key again is answered by what is reserved already.
  public mutating func reserve(
    _ key: String, _ amount: Int, limit: SoldPlan.Limit, at now: Instant
  ) -> Answer {
    expire(at: now)
    let most: Int
    let isSoft: Bool
    switch limit {
    case .daily(let limit), .level(let limit): (most, isSoft) = (limit, false)
    case .fairUse(let limit): (most, isSoft) = (limit, true)
    }
    let remaining = most - used - reserved
    if reservations[key] != nil {
      return isSoft && remaining < 0
        ? .overFairUse(used: used + reserved) : .granted(remaining: max(0, remaining))
    }
    guard isSoft || (amount >= 0 && amount <= max(0, remaining)) else {
      return .exhausted(remaining: max(0, remaining))
    }
    reservations[key] = Reservation(amount: amount, expires: now + Self.holds)
    return remaining < amount
      ? .overFairUse(used: used + reserved) : .granted(remaining: remaining - amount)
  }

  /// Counts what was used of a reservation: no more than was reserved. Again, it counts nothing.
  public mutating func commit(_ key: String, _ amount: Int? = nil, at now: Instant) -> Answer {
    expire(at: now)
    guard let known = reservations[key] else { return .unknown }
    switch known.state {
    case .released: return .unknown
    case .committed: return .granted(remaining: 0)
    case .held:
      let counted = max(0, min(amount ?? known.amount, known.amount))
      used += counted
      reservations[key] = Reservation(
        amount: known.amount, expires: now + Self.remembers, state: .committed(counted))
      return .granted(remaining: 0)
    }
  }

  /// Gives a reservation back. What was counted stays so.
  public mutating func release(_ key: String, at now: Instant) {
    expire(at: now)
    guard let known = reservations[key], known.state == .held else { return }
    reservations[key] = Reservation(
      amount: known.amount, expires: now + Self.remembers, state: .released)
  }
}

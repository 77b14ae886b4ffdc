public import KithTime

/// What somebody has used of a quota, as two numbers: reserved before the work, counted with its
/// success.
///
/// A value: the shell reads it and the one reservation that a call names, asks it, and writes both
/// in one transaction. Before it asks, it frees what has expired.
public struct Quota: Sendable, Hashable {
  /// How long a reservation holds without a word.
  public static let holds = Duration.seconds(60)
  /// How long the end of a reservation is remembered at least, for repeats.
  private static let remembers = Duration.seconds(24 * 3600)

  /// When the end of a reservation is forgotten: at a full hour, so that many are at once.
  public static func remembered(from now: Instant) -> Instant {
    Instant(seconds: ((now + remembers).seconds / 3600 + 1) * 3600)
  }

  /// Something that is about to be used, or was.
  public struct Reservation: Sendable, Hashable {
    /// What became of it.
    public enum State: String, Sendable, Hashable, CaseIterable {
      /// Nothing yet.
      case held
      /// Counted.
      case committed
      /// Given back.
      case released
      /// Its time was over before a word came.
      case expired
    }

    /// How much.
    public var amount: Int
    /// How much of it was counted.
    public var counted = 0
    /// When it frees itself, or is forgotten after its end.
    public var expires: Instant
    /// What became of it.
    public var state: State

    /// A reservation.
    public init(amount: Int, counted: Int = 0, expires: Instant, state: State = .held) {
      (self.amount, self.counted, self.expires, self.state) = (amount, counted, expires, state)
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
  }

  /// What was counted in this window.
  public private(set) var used: Int
  /// What is reserved.
  public private(set) var reserved: Int

  /// As it was kept.
  public init(used: Int = 0, reserved: Int = 0) { (self.used, self.reserved) = (used, reserved) }

  /// Begins a new window. What is reserved stays so, and counts in the window of its end.
  public mutating func reset() { used = 0 }

  /// Frees what expired reservations held.
  public mutating func free(_ amount: Int) { reserved = max(0, reserved - amount) }

  /// Reserves an amount.
  /// - Parameter known: what is kept under the same key: it is answered, and nothing more reserved,
  ///   unless its time was over.
  /// - Returns: the answer, and the reservation where one is made.
  public mutating func reserve(
    _ amount: Int, known: Reservation?, limit: SoldPlan.Limit, for hold: Duration = holds,
    at now: Instant
  ) -> (answer: Answer, made: Reservation?) {
    let remaining = limit.most - used - reserved
    if let known, known.state != .expired {
      return (
        limit.isSoft && remaining < 0
          ? .overFairUse(used: used + reserved) : .granted(remaining: max(0, remaining)), nil
      )
    }
    guard amount >= 0, limit.isSoft || amount <= max(0, remaining) else {
      return (.exhausted(remaining: max(0, remaining)), nil)
    }
    reserved += amount
    return (
      remaining < amount
        ? .overFairUse(used: used + reserved) : .granted(remaining: remaining - amount),
      Reservation(amount: amount, expires: now + hold)
    )
  }

  /// Counts what was used of a reservation: no more than was reserved. Again, it counts nothing.
  /// One whose time was over counts once where there is still room.
  /// - Returns: the reservation as it is then; nil if it cannot count any more.
  public mutating func commit(
    _ known: Reservation, _ amount: Int? = nil, limit: SoldPlan.Limit, at now: Instant
  ) -> Reservation? {
    let counted = max(0, min(amount ?? known.amount, known.amount))
    switch known.state {
    case .committed: return known
    case .released: return nil
    case .expired:
      guard limit.isSoft || counted <= limit.most - used - reserved else { return nil }
    case .held: free(known.amount)
    }
    used += counted
    return Reservation(
      amount: known.amount, counted: counted, expires: Self.remembered(from: now),
      state: .committed)
  }

  /// Gives a reservation back. What was counted stays so.
  /// - Returns: the reservation as it is then.
  public mutating func release(_ known: Reservation, at now: Instant) -> Reservation {
    guard known.state == .held else { return known }
    free(known.amount)
    return Reservation(
      amount: known.amount, expires: Self.remembered(from: now), state: .released)
  }
}

extension SoldPlan.Limit {
  /// How much there is.
  public var most: Int {
    switch self {
    case .daily(let most), .level(let most), .fairUse(let most): most
    }
  }

  /// Whether more is told, and not refused.
  public var isSoft: Bool { if case .fairUse = self { true } else { false } }

  /// Whether it counts what there is at once, which whoever keeps that counts.
  public var isLevel: Bool { if case .level = self { true } else { false } }
}

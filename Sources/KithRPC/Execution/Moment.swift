/// A moment in this process's life, in nanoseconds of the monotonic clock.
///
/// Deadlines are kept as this rather than as `ContinuousClock.Instant`, whose layout is not known
/// at compile time: each copy of one is a call into the standard library, and each call has
/// several.
struct Moment: Comparable, Sendable {
  var nanoseconds: UInt64

  static var now: Moment { Moment(nanoseconds: KithRPC.nanoseconds(.monotonic)) }

  /// The longest budget that is kept, in microseconds: a century, beyond which there is no
  /// deadline.
  static let longestBudget: Int64 = 100 * 365 * 86_400 * 1_000_000

  static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

  /// The moment so many microseconds later; at least this one, and at most a century on.
  func advanced(byMicroseconds microseconds: Int64) -> Moment {
    let clamped = max(0, min(microseconds, Self.longestBudget))
    return Moment(nanoseconds: nanoseconds &+ UInt64(clamped) &* 1000)
  }

  /// The moment `duration` later.
  func advanced(by duration: Duration) -> Moment {
    advanced(byMicroseconds: duration.microseconds)
  }

  /// How many microseconds it is until `later`; 0 when that has passed.
  func microseconds(until later: Moment) -> Int64 {
    later > self ? Int64((later.nanoseconds - nanoseconds) / 1000) : 0
  }

  /// How long it is until `later`; nothing when that has passed.
  func duration(until later: Moment) -> Duration {
    later > self ? .nanoseconds(Int64(later.nanoseconds - nanoseconds)) : .zero
  }
}

extension Duration {
  /// Whole microseconds, as far as they fit.
  var microseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    return product &+ attoseconds / 1_000_000_000_000
  }
}

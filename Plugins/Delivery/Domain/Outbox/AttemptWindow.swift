public import KithTime

/// The attempts of the last 15 minutes, by the minute, and whether too many of them failed.
public struct AttemptWindow: Sendable, Hashable {
  /// How many minutes are looked at.
  public static let minutes = 15
  /// With fewer attempts no share is told.
  public static let fewest = 20

  private struct Bucket: Hashable {
    var minute: Int
    var attempts = 0
    var failures = 0
  }

  private var buckets: [Bucket] = []

  /// A window without attempts.
  public init() {}

  /// Counts an attempt. Time that runs back counts in the minute that it shows.
  public mutating func add(failed: Bool, at now: Instant) {
    let minute = now.seconds / 60
    forget(before: minute)
    let place =
      buckets.firstIndex { $0.minute == minute }
      ?? {
        buckets.append(Bucket(minute: minute))
        return buckets.count - 1
      }()
    buckets[place].attempts += 1
    if failed { buckets[place].failures += 1 }
  }

  /// How many attempts there were, and how many failed.
  public mutating func counts(at now: Instant) -> (attempts: Int, failures: Int) {
    forget(before: now.seconds / 60)
    return buckets.reduce((0, 0)) { ($0.0 + $1.attempts, $0.1 + $1.failures) }
  }

  /// Whether more than 2 % of at least 20 attempts failed.
  public static func isFailing(attempts: Int, failures: Int) -> Bool {
    attempts >= fewest && failures * 50 > attempts
  }

  /// Forgets what is older than the window, and what lies in a future that a clock once showed.
  private mutating func forget(before minute: Int) {
    buckets.removeAll { $0.minute <= minute - Self.minutes || $0.minute > minute }
  }
}

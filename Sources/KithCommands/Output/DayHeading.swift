import Synchronization
import KithTerminal

/// The dates between lines that show a time of day: one before the first line of each day but
/// today.
///
/// Safe to use from any thread.
final class DayHeading: Sendable {
  private let day: Mutex<String>

  /// Headings for lines that are read on a day.
  /// - Parameter now: in milliseconds since 1970.
  init(now: Int64 = Surroundings.now) {
    day = Mutex(Quantities.date(milliseconds: now))
  }

  /// The heading that belongs before a line of that moment: `-- 2026-11-22`; nil when the line
  /// before it was of the same day.
  func before(milliseconds: Int64) -> String? {
    let date = Quantities.date(milliseconds: milliseconds)
    let isOther = day.withLock { day in
      defer { day = date }
      return day != date
    }
    return isOther ? "-- \(date)" : nil
  }
}

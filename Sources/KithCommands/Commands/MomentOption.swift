import KithTime
import KithTerminal

/// A moment that an option names: `10m` ago, or an instant.
enum MomentOption {
  static let expected =
    "expected how long ago (90s, 10m, 2h, 1d), or a date and time with an offset (2026-03-08T07:30:00Z)"

  /// In milliseconds since 1970.
  /// - Throws: ``CommandFailure`` with exit code 64.
  static func milliseconds(_ text: String, now: Int64) throws(CommandFailure) -> Int64 {
    if let instant = Instant(text) { return Int64(instant.milliseconds) }
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()),
      (0...1_000_000_000).contains(count)
    else { throw CommandFailure(.usage, expected) }
    return now - count * unit * 1000
  }

  /// For an option; now is when the command was started.
  @Sendable static func parse(_ text: String) throws(CommandFailure) -> Int64 {
    try milliseconds(text, now: Surroundings.now)
  }
}

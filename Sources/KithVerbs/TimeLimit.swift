package import KithTerminal

/// A length of time as `--timeout` takes it: `500ms`, `5s`, `2m`, `1h`.
package struct TimeLimit: Equatable, Sendable, CustomStringConvertible {
  /// The time.
  package let duration: Duration

  /// What is expected, for errors and help.
  package static let form =
    "a time above zero in ms, s, m or h, such as 500ms, 5s or 2m, at most 24h"

  /// That time.
  package init(_ duration: Duration) {
    self.duration = duration
  }

  /// The time as `--timeout` takes it, for help and errors.
  package var description: String {
    let milliseconds =
      duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000)s" : "\(milliseconds)ms"
  }

  /// The time that an option is given.
  /// - Throws: ``CommandFailure`` with exit code 64 that says what is expected.
  package init(option text: String) throws(CommandFailure) {
    guard let limit = TimeLimit(argument: text) else {
      let isNegative = text.first == "-" && text.dropFirst().first?.isNumber == true
      throw CommandFailure(
        .usage,
        (isNegative ? "a time cannot be negative; " : "") + "expected \(Self.form)")
    }
    self = limit
  }

  /// The time that a text says; nil if it is not one.
  package init?(argument: String) {
    let units: [(suffix: String, milliseconds: Double)] = [
      ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000),
    ]
    guard let unit = units.first(where: { argument.hasSuffix($0.suffix) }) else { return nil }
    let number = argument.dropLast(unit.suffix.count)
    let isPlain = number.utf8.allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".")
    }
    guard isPlain, let value = Double(number) else { return nil }
    let milliseconds = value * unit.milliseconds
    guard milliseconds >= 1, milliseconds <= 24 * 3_600_000 else { return nil }
    duration = .milliseconds(Int64(milliseconds))
  }
}

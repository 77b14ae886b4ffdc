import ArgumentParser

/// A length of time as `--timeout` takes it: `500ms`, `5s`, `2m`, `1h`.
struct TimeLimit: Equatable, Sendable, ExpressibleByArgument {
  /// The time.
  let duration: Duration

  /// What is expected, for errors and help.
  static let form = "a time above zero such as 500ms, 5s or 2m, at most 24h"

  /// That time.
  init(_ duration: Duration) {
    self.duration = duration
  }

  /// The time as `--timeout` takes it, for help and errors.
  var text: String {
    let milliseconds =
      duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000)s" : "\(milliseconds)ms"
  }

  var defaultValueDescription: String { text }

  init?(argument: String) {
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

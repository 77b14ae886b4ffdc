import ArgumentParser
import KithTerminal
import KithVerbs

/// How often and how long something is shown live.
struct LiveOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long after a report the next one is made, 100ms or more. (default: 2s)",
      valueName: "time"), transform: LiveOptions.interval)
  var every: TimeLimit?

  @Option(
    name: [.customShort("n"), .long], parsing: .unconditional,
    help: ArgumentHelp(
      "How many reports to make. By default until ctrl-C or q.", valueName: "count"),
    transform: LiveOptions.count)
  var count: Int?

  /// What shows it.
  var view: LiveView { LiveView(interval: every?.duration ?? .seconds(2), count: count) }

  /// Whether either was told.
  var isTold: Bool { every != nil || count != nil }

  @Sendable private static func interval(_ text: String) throws(CommandFailure) -> TimeLimit {
    let limit = try TimeLimit(option: text)
    guard limit.duration >= .milliseconds(100) else {
      throw CommandFailure(.usage, "expected 100ms or more")
    }
    return limit
  }

  @Sendable private static func count(_ text: String) throws(CommandFailure) -> Int {
    guard let count = Int(text), count > 0 else {
      throw CommandFailure(.usage, "expected a whole number from 1 on")
    }
    return count
  }
}

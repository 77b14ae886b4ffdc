import ArgumentParser
import EventsContract
import HostContract
import KithClient
import KithJSON
import KithRPC
import KithReflection
import KithTerminal

/// `kith events`
struct EventsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "Shows what workers told of their changes.",
    discussion: """
      Without a name: all workers that tell of any. Several are merged by time. What is personal in an event is left \
      out: it is for the workers that follow it.

      EXAMPLES
        kith events -f
        kith events reminders -n 5
        kith events -f --type kith.reminders.v1.ReminderMissed
        kith events --json | jq -r .type
      """)

  @Argument(help: "Workers by their names.")
  var names: [String] = []

  @Flag(name: [.short, .long], help: "Keep writing what is new, until ctrl-C.")
  var follow = false

  @Option(
    name: [.customShort("n"), .long], parsing: .unconditional,
    help: ArgumentHelp(
      "How many of the last events of each worker to begin with, 0 to 10000. (default: 20)",
      valueName: "count"),
    transform: EventsCommand.count)
  var lines: Int64 = 20

  @Option(
    help: ArgumentHelp(
      "Only events of this type: the full name of a message, or its last word. May be given several times.",
      valueName: "type"))
  var type: [String] = []

  @OptionGroup var product: ProductOptions
  @OptionGroup var output: OutputOptions

  @Sendable private static func count(_ text: String) throws(CommandFailure) -> Int64 {
    guard let count = Int64(text), (0...10_000).contains(count) else {
      throw CommandFailure(.usage, "expected 0 to 10000")
    }
    return count
  }

  func run() async throws {
    let surroundings = Surroundings.current
    let running = try await product.running(surroundings, workers: names)
    defer { running.connection.close() }
    let sources = try await EventSource.all(of: running, named: names)
    for type in type { try EventSource.checkType(type, isOfAny: sources) }
    let writer = EventWriter(
      terminal: surroundings.terminal, isJSON: output.json, showsNames: sources.count > 1)
    var begun: [(EventSource, Position)] = []
    var past: [ShownEvent] = []
    for source in sources {
      let (events, position) = try await source.last(lines, ofTypes: type)
      past += events
      begun.append((source, position))
    }
    try writer.write(
      past.sorted { ($0.event.atMs, $0.event.sequence) < ($1.event.atMs, $1.event.sequence) })
    guard follow else { return }
    let types = type
    try await withThrowingTaskGroup { group in
      for (source, position) in begun {
        group.addTask {
          try await source.follow(from: position, ofTypes: types) { try writer.write($0) }
        }
      }
      try await group.waitForAll()
    }
  }
}

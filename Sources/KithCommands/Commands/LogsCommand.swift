import ArgumentParser
import HostContract
import KithClient
import KithJSON
import KithRPC

/// `kith logs`
struct LogsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logs",
    abstract: "Shows what workers, or the host, wrote.",
    discussion: """
      Without a name: all workers. `kithd` is the host. Lines that the host wrote about a worker begin with `--`.

      EXAMPLES
        kith logs risk-engine
        kith logs risk-engine kithd -n 200
        kith logs -f
      """)

  @Argument(help: "Workers by their names, or kithd.")
  var names: [String] = []

  @Flag(name: [.short, .long], help: "Keep writing what is new, until ctrl-C.")
  var follow = false

  @Option(
    name: [.customShort("n"), .long],
    help: ArgumentHelp("How many of the last lines to begin with, 0 to 10000.", valueName: "count"))
  var lines: UInt32 = 50

  @OptionGroup var product: ProductOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard lines <= 10_000 else {
      throw ValidationError("--lines: expected 0 to 10000")
    }
  }

  func run() async throws {
    let surroundings = Surroundings.current
    let running = try await product.running(surroundings, workers: names)
    let host = running.connection.host
    var names = names
    if names.isEmpty {
      let options = CallOptions(timeout: CallSettings.standardTimeout)
      names = try await host.getStatus(GetStatusRequest(), options: options).workers.map(\.name)
    }
    let writer = LogWriter(
      terminal: surroundings.terminal, isJSON: output.json, showsNames: names.count > 1)
    let readers = names.map { LogReader(host: host, name: $0, writer: writer) }

    var cursors: [String] = []
    var entries: [LogWriter.Entry] = []
    for reader in readers {
      let page = try await reader.last(lines)
      cursors.append(page.cursor)
      entries += page.entries
    }
    // Several logs are shown as one, in order of time; within one log the order stands.
    writer.write(
      entries.enumerated().sorted {
        ($0.element.line.atMs, $0.offset) < ($1.element.line.atMs, $1.offset)
      }
      .map(\.element))
    guard follow else { return }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (reader, cursor) in zip(readers, cursors) {
        group.addTask { try await reader.follow(from: cursor) }
      }
      try await group.waitForAll()
    }
  }
}

/// Reads one log page by page.
private struct LogReader: Sendable {
  let host: HostClient
  let name: String
  let writer: LogWriter

  /// How long the host is asked to wait for a line before it is asked again.
  private static let wait = Duration.seconds(30)

  func last(_ count: UInt32) async throws -> (entries: [LogWriter.Entry], cursor: String) {
    var request = ReadLogRequest(name: name, lastLines: count)
    var entries: [LogWriter.Entry] = []
    // An answer holds at most 1000 lines.
    while true {
      let page = try await read(request, waitsAtMost: CallSettings.standardTimeout)
      entries += page.lines.map { LogWriter.Entry(name: name, line: $0) }
      guard !page.lines.isEmpty, entries.count < Int(count) else { return (entries, page.cursor) }
      request = ReadLogRequest(name: name, cursor: page.cursor)
    }
  }

  func follow(from start: String) async throws {
    var cursor = start
    while true {
      do {
        let page = try await read(
          ReadLogRequest(name: name, cursor: cursor, waitForLines: true), waitsAtMost: Self.wait)
        writer.write(page.lines.map { LogWriter.Entry(name: name, line: $0) })
        cursor = page.cursor
      } catch let error as RPCError {
        // Past its deadline: nothing was written meanwhile.
        guard error.code == .deadlineExceeded else { throw error }
      }
    }
  }

  private func read(
    _ request: ReadLogRequest, waitsAtMost limit: Duration
  ) async throws -> ReadLogResponse {
    do throws(RPCError) {
      return try await host.readLog(request, options: CallOptions(timeout: limit))
    } catch {
      guard error.code == .notFound else { throw error }
      throw try await WorkerChange.unknown(name, host: host)
    }
  }
}

/// Writes lines of logs.
struct LogWriter: Sendable {
  /// A line and whose it is.
  struct Entry: Sendable {
    let name: String
    let line: LogLine
  }

  let terminal: Terminal
  let isJSON: Bool
  /// Whether each line says whose it is.
  let showsNames: Bool

  func write(_ entries: [Entry]) {
    if !entries.isEmpty { Output.lines(entries.map(text)) }
  }

  func text(of entry: Entry) -> String {
    let line = entry.line
    guard !isJSON else {
      let value: JSONValue = [
        "name": .string(entry.name), "atMs": .integer(line.atMs),
        "generation": JSONValue(line.generation),
        "stream": .string(line.stream.name ?? String(line.stream.rawValue)),
        "text": .string(line.text),
      ]
      return value.text()
    }
    let time = terminal.text(Quantities.timeOfDay(milliseconds: line.atMs), .faint)
    let name = showsNames ? " \(terminal.text(entry.name, .faint))" : ""
    let text = SafeText.line(line.text)
    return line.stream == .host
      ? "\(time)\(name)  " + terminal.text("-- \(text)", .faint) : "\(time)\(name)  \(text)"
  }
}

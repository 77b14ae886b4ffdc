import ArgumentParser
import HostContract
import KithClient
import KithJSON
import KithManifest
import KithRPC

/// `kith logs`
struct LogsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logs",
    abstract: "Shows what workers, or the host, wrote.",
    discussion: """
      Without a name: all workers. `kithd` is the host. Lines that the host wrote about a worker begin with `--`. When no \
      host runs, the files that it left are read.

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
    name: [.customShort("n"), .long], parsing: .unconditional,
    help: ArgumentHelp(
      "How many of the last lines to begin with, 0 to 10000. (default: 50)", valueName: "count"),
    transform: LogsCommand.count)
  var lines: UInt32 = 50

  @OptionGroup var product: ProductOptions
  @OptionGroup var output: OutputOptions

  @Sendable private static func count(_ text: String) throws(CommandFailure) -> UInt32 {
    guard let count = UInt32(text), count <= 10_000 else {
      let isNegative = Int(text).map { $0 < 0 } ?? false
      throw CommandFailure(
        .usage,
        (isNegative ? "a count cannot be negative; " : "") + "expected 0 to 10000")
    }
    return count
  }

  func run() async throws {
    let surroundings = Surroundings.current
    let running: RunningProduct
    do {
      running = try await product.running(surroundings, workers: names)
    } catch {
      guard let failure = CommandFailure(known: error), failure.status == .unavailable,
        let files = try LogFiles.find(
          product: product.product, root: product.root, workers: names,
          environment: surroundings.environment)
      else { throw error }
      try show(files, surroundings)
      return
    }
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
    try writer.write(entries.inOrderOfTime)
    guard follow else { return }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (reader, cursor) in zip(readers, cursors) {
        group.addTask { try await reader.follow(from: cursor) }
      }
      try await group.waitForAll()
    }
  }

  /// Shows the last lines of files, since no host is there to be asked.
  private func show(_ files: LogFiles, _ surroundings: Surroundings) throws {
    let workers = files.names.filter { $0 != "kithd" }
    let names = self.names.isEmpty ? (workers.isEmpty ? files.names : workers) : self.names
    let writer = LogWriter(
      terminal: surroundings.terminal, isJSON: output.json, showsNames: names.count > 1)
    var entries: [LogWriter.Entry] = []
    for name in names {
      entries += try files.last(Int(lines), of: name).map { LogWriter.Entry(name: name, line: $0) }
    }
    let notice = "no host is running; these are the last lines in \(files.places.logsDirectory)"
    if output.json {
      Output.errorLine((["notice": .string(notice)] as JSONValue).text())
    } else {
      Output.errorLine("kith: \(notice)")
    }
    try writer.write(entries.inOrderOfTime)
    guard !follow else {
      throw CommandFailure(.unavailable, "no host is running that could write more")
    }
  }
}

extension [LogWriter.Entry] {
  /// Several logs as one; within one log the order stands.
  fileprivate var inOrderOfTime: [LogWriter.Entry] {
    enumerated().sorted {
      ($0.element.line.atMs, $0.offset) < ($1.element.line.atMs, $1.offset)
    }.map(\.element)
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
        try writer.write(page.lines.map { LogWriter.Entry(name: name, line: $0) })
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

  func write(_ entries: [Entry]) throws(CommandFailure) {
    if !entries.isEmpty { try Output.lines(entries.map(text)) }
  }

  func text(of entry: Entry) -> String {
    let line = entry.line
    // As proto3 JSON has it: numbers of 64 bits are texts.
    guard !isJSON else {
      let value: JSONValue = [
        "name": .string(entry.name), "atMs": .string(String(line.atMs)),
        "generation": .string(String(line.generation)),
        "stream": .string(line.stream.name ?? String(line.stream.rawValue)),
        "text": .string(line.text),
      ]
      return value.text()
    }
    let time = terminal.text(Quantities.timeOfDay(milliseconds: line.atMs), .faint)
    let name = showsNames ? " \(terminal.text(entry.name, .faint))" : ""
    let text = SafeText.line(String(Self.withoutTime(line.text)))
    return line.stream == .host
      ? "\(time)\(name)  " + terminal.text("-- \(text)", .faint) : "\(time)\(name)  \(text)"
  }

  /// A line without the moment that a worker wrote at its beginning (`2026-11-21T09:30:18.909Z `): the moment at which the
  /// host read it stands there already.
  static func withoutTime(_ text: String) -> Substring {
    let moment = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d) +/
    return text.prefixMatch(of: moment).map { text[$0.range.upperBound...] } ?? text[...]
  }
}

import ArgumentParser
import HostContract
import KithClient
import KithJSON
import KithManifest
import KithRPC
import KithTerminal
import KithVerbs

/// `kith logs`
struct LogsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logs",
    abstract: "Shows what workers, or the host, wrote.",
    discussion: """
      Without a name: all workers. Several are merged by time. `kithd` is the host. Lines that the host wrote about a \
      worker begin with `--`. When no host runs, the files that it left are read.

      A level is shown where it is not info. What a worker writes past its logger counts as info on the standard output \
      and as error on the standard error. `kith log-level` sets what a worker logs in the first place.

      EXAMPLES
        kith logs risk-engine
        kith logs risk-engine kithd -n 200
        kith logs -f --level warning
        kith logs reminders --since 2h --until 30m
        kith logs --json -n 1000 | jq -r 'select(.call == "17") | .text'
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

  @Option(
    help: ArgumentHelp(
      "Only lines of this level or above it: \(LogLevel.words).", valueName: "level"),
    transform: LogLevel.init(option:))
  var level: LogLevel = .unspecified

  @Option(
    help: ArgumentHelp(
      "Only lines from then on, of the last 10000: how long ago (10m), or an instant.",
      valueName: "time"),
    transform: MomentOption.parse)
  var since: Int64?

  @Option(
    help: ArgumentHelp("Only lines before then, likewise; not with --follow.", valueName: "time"),
    transform: MomentOption.parse)
  var until: Int64?

  @OptionGroup var product: ProductOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if follow, until != nil { throw ValidationError("--until and --follow exclude each other") }
  }

  /// How many lines are read: within a span of time as many as there can be.
  private var count: UInt32 { since == nil && until == nil ? lines : 10_000 }

  /// Whether a line is within the span that is asked for.
  private func isWithin(_ line: LogLine) -> Bool {
    line.atMs >= since ?? .min && line.atMs < until ?? .max
  }

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
      try show(files, surroundings, because: product.left(surroundings)?.failure.message)
      return
    }
    let host = LastingConnection(running, product, surroundings, isPatient: follow)
    var names = names
    if names.isEmpty {
      let options = CallOptions(timeout: CallSettings.standardTimeout)
      names = try await host.ask {
        try await $0.getStatus(GetStatusRequest(), options: options).workers.map(\.name)
      }
    }
    let writer = LogWriter(
      terminal: surroundings.terminal, isJSON: output.json, showsNames: names.count > 1)
    let reader = LogReader(host: host, names: names, minimumLevel: level)
    let cursor = try await reader.last(count) { try writer.write($0.filter(isWithin)) }
    guard follow else { return }
    try await reader.follow(from: cursor) { try writer.write($0) }
  }

  /// Shows the last lines of files, since no host is there to be asked.
  private func show(
    _ files: LogFiles, _ surroundings: Surroundings, because reason: String?
  ) throws {
    let workers = files.names.filter { $0 != "kithd" }
    let names = self.names.isEmpty ? (workers.isEmpty ? files.names : workers) : self.names
    let writer = LogWriter(
      terminal: surroundings.terminal, isJSON: output.json, showsNames: names.count > 1)
    var found: [LogLine] = []
    for name in names { found += try files.last(Int(count), of: name, minimumLevel: level) }
    let notice =
      "\(reason ?? "no host is running"); these are the last lines in \(files.places.logsDirectory)"
    if output.json {
      Output.errorLine((["notice": .string(notice)] as JSONValue).text())
    } else {
      Output.errorLine("kith: \(notice)")
    }
    try writer.write(found.filter(isWithin).inOrderOfTime)
    guard !follow else {
      throw CommandFailure(.unavailable, "no host is running that could write more")
    }
  }
}

extension [LogLine] {
  /// Several logs as one; within one log the order stands.
  fileprivate var inOrderOfTime: [LogLine] {
    enumerated().sorted { ($0.element.atMs, $0.offset) < ($1.element.atMs, $1.offset) }
      .map(\.element)
  }
}

/// Reads logs page by page, as the host merges them.
private struct LogReader: Sendable {
  let host: LastingConnection
  let names: [String]
  let minimumLevel: LogLevel

  /// How long the host is asked to wait for a line before it is asked again.
  private static let wait = Duration.seconds(30)

  /// The last lines of each log, and where to go on.
  func last(_ count: UInt32, _ body: ([LogLine]) throws -> Void) async throws -> String {
    var request = ReadLogRequest(names: names, lastLines: count, minimumLevel: minimumLevel)
    // What is written while this reads has no end of its own: there are no more lines than were
    // asked for.
    var left = Int(count) * names.count
    while true {
      let page = try await read(request, waitsAtMost: CallSettings.standardTimeout)
      if !page.lines.isEmpty { try body(page.lines) }
      left -= page.lines.count
      guard !page.lines.isEmpty, left > 0 else { return page.cursor }
      request = ReadLogRequest(names: names, cursor: page.cursor, minimumLevel: minimumLevel)
    }
  }

  func follow(from start: String, _ body: ([LogLine]) throws -> Void) async throws {
    var cursor = start
    while true {
      do {
        let page = try await read(
          ReadLogRequest(
            names: names, cursor: cursor, waitForLines: true, minimumLevel: minimumLevel),
          waitsAtMost: Self.wait)
        if !page.lines.isEmpty { try body(page.lines) }
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
    let options = CallOptions(timeout: limit)
    do {
      return try await host.ask { try await $0.readLog(request, options: options) }
    } catch let error as RPCError where error.code == .notFound {
      let options = CallOptions(timeout: CallSettings.standardTimeout)
      let status = try await host.ask {
        try await $0.getStatus(GetStatusRequest(), options: options)
      }
      let known = Set(status.workers.map(\.name) + ["kithd"])
      throw WorkerChange.unknown(names.first { !known.contains($0) } ?? "", status)
    }
  }
}

import ArgumentParser
import HostContract
import KithClient
import KithJSON
import KithManifest
import KithRPC
import KithTime
import KithTerminal

/// `kith clock`
struct ClockCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clock",
    abstract: "Shows and moves the clocks of a product whose time is virtual.",
    discussion: """
      A product that was started with `kith up --virtual-time now` goes by clocks that stand still until they are moved, \
      all workers' together.

      EXAMPLES
        kith clock
        kith clock advance 3h
        kith clock set 2026-03-08T06:59:00Z
        kith clock run --times 60 --for 1h
      """,
    subcommands: [Show.self, Advance.self, Set.self, Run.self], defaultSubcommand: Show.self)

  /// `kith clock show`
  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Shows what the clocks show.")

    @OptionGroup var product: ProductOptions
    @OptionGroup var time: TimeoutOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let running = try await product.running(Surroundings.current)
      let answer = try await running.connection.host.getClock(
        GetClockRequest(), options: time.callOptions)
      if output.json { return try Output.line(try HostJSON.json(answer).text(pretty: true)) }
      try Output.line(
        "\(Instant(milliseconds: Int(answer.wallMs))), "
          + "\(Quantities.elapsed(milliseconds: answer.elapsedMs)) after the start")
    }
  }

  /// `kith clock advance`
  struct Advance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lets time pass, and answers when all that became due on the way has run.",
      discussion: """
        The clocks stop at each moment at which a worker has something to do, so that each turn sees its own time, and go \
        on when all workers that follow the events of others have taken them in.

        EXAMPLES
          kith clock advance 90s
          kith clock advance 3d12h --timeout 5m
        """)

    @Argument(
      help: ArgumentHelp("How long: 90s, 3h, 1d12h.", valueName: "time"),
      transform: Advance.duration)
    var by: Duration

    @OptionGroup var product: ProductOptions
    @OptionGroup var time: TimeoutOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await ClockCommand.move(.advanceMs(by.inMilliseconds), product, time, output)
    }

    @Sendable private static func duration(_ text: String) throws(CommandFailure) -> Duration {
      guard let duration = Duration(inManifest: text) else {
        throw CommandFailure(.usage, "expected a length of time such as 90s, 3h or 1d12h")
      }
      return duration
    }
  }

  /// `kith clock set`
  struct Set: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Sets the wall clock, forward or back, in one step: as if somebody had set it.",
      discussion: """
        No time passes: the clocks that are never set stand still, and what lies between is not stopped at.

        EXAMPLES
          kith clock set 2026-03-08T06:59:00Z
          kith clock set 2026-11-01T01:30:00-04:00
        """)

    @Argument(
      help: ArgumentHelp("What it is to show, as in RFC 3339.", valueName: "instant"),
      transform: ClockCommand.instant)
    var to: Instant

    @OptionGroup var product: ProductOptions
    @OptionGroup var time: TimeoutOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await ClockCommand.move(.setWallMs(Int64(to.milliseconds)), product, time, output)
    }
  }

  /// An instant of an argument.
  @Sendable static func instant(_ text: String) throws(CommandFailure) -> Instant {
    guard let instant = Instant(text) else {
      throw CommandFailure(
        .usage, "expected a date and time with an offset, such as 2026-03-08T07:30:00Z")
    }
    return instant
  }

  private static func move(
    _ move: MoveClockRequest.Move, _ product: ProductOptions, _ time: TimeoutOptions,
    _ output: OutputOptions
  ) async throws {
    let running = try await product.running(Surroundings.current)
    let answer: MoveClockResponse
    do throws(RPCError) {
      answer = try await running.connection.host.moveClock(
        MoveClockRequest(move: move), options: time.callOptions)
    } catch {
      guard error.code == .deadlineExceeded else { throw error }
      throw CommandFailure(
        .deadline,
        "the clocks were not there yet after \(time.timeout), and stopped on their way; `kith clock` tells where. "
          + "Move them on, or wait longer with --timeout",
        code: error.code.name)
    }
    if output.json { return try Output.line(try HostJSON.json(answer).text(pretty: true)) }
    let next = answer.nextDueMs.map { "; next due \(Instant(milliseconds: Int($0)))" } ?? ""
    let turns = answer.turns == 1 ? "1 turn" : "\(answer.turns) turns"
    try Output.line(
      "\(Instant(milliseconds: Int(answer.wallMs))): \(turns) of due work\(next)")
    for events in answer.absent {
      try Output.line("\(events.worker) follows \(events.service), which nobody here tells of now")
    }
  }
}

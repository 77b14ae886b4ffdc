import ArgumentParser
import HostContract
import KithClient
import KithManifest
import KithRPC
import KithTerminal
import KithTime

extension ClockCommand {
  /// `kith clock run`
  struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lets time pass by itself, faster than it does.",
      discussion: """
        Ten times a second the clocks are advanced, as by `kith clock advance`. An hour at sixty times takes a minute.

        EXAMPLES
          kith clock run --for 1h
          kith clock run --times 3600 --for 1d
        """)

    /// How often the clocks are moved.
    private static let step = Duration.milliseconds(100)

    @Option(help: ArgumentHelp("How many times as fast, 1 to 100000.", valueName: "number"))
    var times = 60

    @Option(
      name: .customLong("for"),
      help: ArgumentHelp("How much time is to pass: 90s, 3h, 1d12h.", valueName: "time"),
      transform: Run.duration)
    var length: Duration

    @OptionGroup var product: ProductOptions
    @OptionGroup var time: TimeoutOptions

    func validate() throws {
      guard (1...100_000).contains(times) else {
        throw ValidationError("expected --times from 1 to 100000")
      }
    }

    func run() async throws {
      let running = try await product.running(Surroundings.current)
      var left = length
      var next = ContinuousClock.now
      while true {
        let passing = min(Self.step * times, left)
        let answer = try await running.connection.host.moveClock(
          MoveClockRequest(move: .advanceMs(passing.inMilliseconds)), options: time.callOptions)
        left -= passing
        guard left > .zero else {
          return try Output.line("\(Instant(milliseconds: Int(answer.wallMs)))")
        }
        next += Self.step
        try await Task.sleep(until: next, clock: .continuous)
      }
    }

    @Sendable private static func duration(_ text: String) throws(CommandFailure) -> Duration {
      guard let duration = Duration(inManifest: text) else {
        throw CommandFailure(.usage, "expected a length of time such as 90s, 3h or 1d12h")
      }
      return duration
    }
  }
}

import ArgumentParser
import HostContract
import KithClient
import KithJSON
import KithRPC

/// `kith log-level`
struct LogLevelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log-level",
    abstract: "Shows or sets from which level on a worker logs.",
    discussion: """
      What is set holds at once, and for the processes that follow until the host ends. A worker logs from info on unless \
      told otherwise. The levels: \(LogLevel.words).

      EXAMPLES
        kith log-level risk-engine
        kith log-level risk-engine debug
      """)

  @Argument(help: "The worker, by its name in the product.")
  var worker: String

  @Argument(
    help: ArgumentHelp("The lowest level that is logged.", valueName: "level"),
    transform: LogLevel.init(option:))
  var level: LogLevel?

  @OptionGroup var product: ProductOptions
  @OptionGroup var time: TimeoutOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let running = try await product.running(Surroundings.current, workers: [worker])
    let host = running.connection.host
    let response: SetWorkerLogLevelResponse
    do throws(RPCError) {
      response = try await host.setWorkerLogLevel(
        SetWorkerLogLevelRequest(name: worker, level: level ?? .unspecified),
        options: time.callOptions)
    } catch {
      guard error.code == .notFound else { throw error }
      throw try await WorkerChange.unknown(worker, host: host)
    }
    if output.json {
      try Output.line(try HostJSON.json(response).text(pretty: true))
    } else {
      try Output.line("\(worker) logs from \(response.level.word) on")
    }
  }
}

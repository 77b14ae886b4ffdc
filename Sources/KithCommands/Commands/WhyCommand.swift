import ArgumentParser
import HostContract
import KithClient
import KithJSON
import KithManifest
import KithRPC
import KithTerminal

/// `kith why`
struct WhyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why",
    abstract: "Says why a worker is as it is: what ended it, what it waits for, what comes next.",
    discussion: """
      One chain on one screen: the state and since when, how its last process ended and its last words, when it starts \
      again, how much of its restarts is used, who asked for what. A worker that waits for another is followed by that one.

      EXAMPLES
        kith why risk-engine
        kith why risk-engine --json
      """)

  @Argument(help: "The worker, by its name in the product.")
  var worker: String

  @OptionGroup var product: ProductOptions
  @OptionGroup var time: TimeoutOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let surroundings = Surroundings.current
    let running = try await product.running(surroundings, workers: [worker])
    defer { running.connection.close() }
    let status = try await running.status(within: time.callOptions.timeout)
    guard let found = status.workers.first(where: { $0.name == worker }) else {
      let names = status.workers.map(\.name)
      throw CommandFailure(
        .usage,
        "there is no worker '\(SafeText.line(String(worker.prefix(60))))'; "
          + (nearestName(to: worker, among: names).map { "did you mean '\($0)'?" }
            ?? "workers: \(names.joined(separator: ", "))"))
    }
    if output.json {
      try Output.line(try HostJSON.json(found).text(pretty: true))
    } else {
      try Output.lines(
        Explanation(
          status: status, terminal: surroundings.terminal, options: product.words,
          now: Surroundings.now
        ).lines(of: found))
    }
  }
}

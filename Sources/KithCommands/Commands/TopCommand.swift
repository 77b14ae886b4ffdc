import ArgumentParser
import HostContract
import KithClient
import KithJSON
import KithRPC
import KithVerbs

/// `kith top`
struct TopCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Shows live what workers do: calls a second, latency, errors, memory, processor.",
    discussion: """
      The first report tells of the whole life of each worker's process, each one after it of the time since the one \
      before. Redrawn in place on a terminal, where arrows and Page Down scroll and q quits; one report below the other \
      elsewhere, with --json one line each.

      P50, P95 and P99 are how long half, 95 % and 99 % of the calls took in the worker, at most an eighth above the true \
      value. ERRORS is the share of calls that failed by the worker's fault. BUSY is how many calls are in progress. CPU \
      is of one processor.

      EXAMPLES
        kith top
        kith top --methods --every 500ms
        kith top --json --count 2 | tail -1 | jq '.workers[] | {name, callsPerSecond, p99}'
      """)

  @Flag(help: "A line for each method too.")
  var methods = false

  @OptionGroup var live: LiveOptions
  @OptionGroup var product: ProductOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let surroundings = Surroundings.current
    let running = try await product.running(surroundings)
    let connection = LastingConnection(running, product, surroundings)
    let options = CallOptions(timeout: CallSettings.standardTimeout)
    let name = try await connection.ask {
      try await $0.getStatus(GetStatusRequest(), options: options).product
    }
    var earlier: GetMetricsResponse?
    try await live.view.run { terminal in
      let metrics = try await connection.ask {
        try await $0.getMetrics(GetMetricsRequest(), options: options)
      }
      let sample = MetricsSample(metrics, since: earlier)
      earlier = metrics
      let report = TopReport(
        product: name, sample: sample, terminal: terminal, showsMethods: methods)
      return output.json
        ? [report.json(atMilliseconds: Surroundings.now).text()] : report.lines
    }
  }
}

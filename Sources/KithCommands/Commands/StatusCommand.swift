import ArgumentParser
import HostContract
import KithClient
import KithJSON

/// `kith status`
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Shows the workers of a running product and how they are.",
    discussion: """
      Ends with exit code 0 when the host answers, whatever the workers are doing.

      EXAMPLES
        kith status
        kith status --json | jq -r '.workers[] | select(.state != "READY") | .name'
      """)

  @OptionGroup var product: ProductOptions
  @OptionGroup var time: TimeoutOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let surroundings = Surroundings.current
    let running = try await product.running(surroundings)
    let status = try await running.connection.host.getStatus(
      GetStatusRequest(), options: time.callOptions)
    if output.json {
      try Output.line(try HostJSON.json(status).text(pretty: true))
    } else {
      try Output.lines(
        StatusReport(status: status, terminal: surroundings.terminal, now: Surroundings.now).lines)
    }
  }
}

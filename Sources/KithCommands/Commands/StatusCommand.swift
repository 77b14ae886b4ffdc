import ArgumentParser
import HostContract
import KithClient
import KithJSON
import KithRPC

/// `kith status`
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Shows the workers of a running product and how they are.",
    discussion: """
      Ends with exit code 0 when the host answers, whatever the workers are doing. With --watch it is shown again and \
      again: redrawn in place on a terminal (arrows scroll, q quits), one below the other elsewhere, with --json one line each.

      EXAMPLES
        kith status
        kith status --watch
        kith status --json | jq -r '.workers[] | select(.state != "READY") | .name'
      """)

  @Flag(help: "Keep showing it.")
  var watch = false

  @OptionGroup var live: LiveOptions
  @OptionGroup var product: ProductOptions
  @OptionGroup var time: TimeoutOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if live.isTold, !watch { throw ValidationError("--every and --count go with --watch") }
  }

  func run() async throws {
    let surroundings = Surroundings.current
    let running = try await product.running(surroundings)
    guard !watch else {
      return try await show(LastingConnection(running, product, surroundings))
    }
    let status = try await running.status(within: time.callOptions.timeout)
    if output.json {
      try Output.line(try HostJSON.json(status).text(pretty: true))
    } else {
      try Output.lines(
        StatusReport(
          status: status, terminal: surroundings.terminal, options: product.words,
          now: Surroundings.now
        ).lines)
    }
  }

  private func show(_ connection: LastingConnection) async throws {
    let options = time.callOptions
    try await live.view.run { terminal in
      let status = try await connection.ask {
        try await $0.getStatus(GetStatusRequest(), options: options)
      }
      if output.json { return [try HostJSON.json(status).text()] }
      return StatusReport(
        status: status, terminal: terminal, options: product.words, now: Surroundings.now
      ).lines
    }
  }
}

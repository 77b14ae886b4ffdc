import ArgumentParser
import HostContract
import KithClient
import KithJSON
import KithManifest
import KithTerminal
import KithVerbs

/// `kith down`
struct DownCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "down",
    abstract: "Ends a product: its workers in order, then its host.",
    discussion: """
      Calls in progress may end first, within the time that each worker has for it. Where the host is gone and its workers \
      run on, a host is started that ends them.

      EXAMPLES
        kith down
        kith down --product boomer-buddy
      """)

  @OptionGroup var product: ProductOptions
  @OptionGroup var time: TimeoutOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let surroundings = Surroundings.current
    guard let running = try await running(surroundings) else { return }
    let host = running.connection.host
    // The places know the product by a made-up name when only its root was given.
    let status = try await host.getStatus(GetStatusRequest(), options: time.callOptions)
    let end = HostEnd(pid: status.hostPid)
    let answer = try await host.shutdown(ShutdownRequest(), options: time.callOptions)
    running.connection.close()
    guard end.wait(atMost: time.timeout.duration) else {
      throw CommandFailure(
        .tryAgain,
        "the workers have ended and the host (pid \(status.hostPid)) has not; "
          + "see \(status.root)/logs/kithd.log")
    }
    if output.json {
      try Output.line(try HostJSON.json(answer).text(pretty: true))
      return
    }
    let title = SafeText.line(status.title.isEmpty ? status.product : status.title)
    let count = answer.workersEnded == 1 ? "1 worker" : "\(answer.workersEnded) workers"
    let killed =
      answer.workersKilled == 0
      ? "" : ", \(answer.workersKilled) of them killed because they did not end in time"
    try Output.line("\(title) is down: \(count) ended\(killed).")
  }

  /// The product, with a host; nil when it has been ended without one.
  private func running(_ surroundings: Surroundings) async throws -> RunningProduct? {
    do {
      return try await product.running(surroundings)
    } catch {
      guard CommandFailure(known: error)?.status == .unavailable,
        let left = product.left(surroundings)
      else { throw error }
      guard !left.arguments.isEmpty else {
        try left.end(environment: surroundings.environment)
        try Output.line(output.json ? left.json.text(pretty: true) : "\(left.description). Ended.")
        return nil
      }
      try left.takeOver(environment: surroundings.environment)
      return try await RunningProduct.open(left.places(environment: surroundings.environment))
    }
  }
}

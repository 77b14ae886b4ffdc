import ArgumentParser
import HostContract

/// `kith restart`
struct RestartCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restart",
    abstract: "Replaces the processes of workers, and waits until the new ones are ready.",
    discussion: """
      Callers that wait for ready lose no call.

      EXAMPLES
        kith restart risk-engine
      """)

  @Argument(help: "The workers, by their names in the product.")
  var workers: [String]

  @OptionGroup var product: ProductOptions
  @OptionGroup var time: TimeoutOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try await WorkerChange(product: product, time: time, output: output).run(
      workers, doing: "restarting"
    ) {
      host, name, options in
      try await host.restartWorker(RestartWorkerRequest(name: name), options: options).worker
    }
  }
}

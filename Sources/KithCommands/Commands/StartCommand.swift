import ArgumentParser
import HostContract

/// `kith start`
struct StartCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Starts workers that are stopped, and waits until they are ready.",
    discussion: """
      A worker that is ready is left alone; one in quarantine is given a fresh start.

      EXAMPLES
        kith start risk-engine
      """)

  @Argument(help: "The workers, by their names in the product.")
  var workers: [String]

  @OptionGroup var product: ProductOptions
  @OptionGroup var time: TimeoutOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try await WorkerChange(product: product, time: time, output: output).run(
      workers, doing: "starting"
    ) {
      host, name, options in
      try await host.startWorker(StartWorkerRequest(name: name), options: options).worker
    }
  }
}

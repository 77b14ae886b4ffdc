import ArgumentParser
import HostContract

/// `kith stop`
struct StopCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract: "Stops workers, and waits until their processes have ended.",
    discussion: """
      Calls in progress may end first. A stopped worker stays down until `kith start`.

      EXAMPLES
        kith stop risk-engine
      """)

  @Argument(help: "The workers, by their names in the product.")
  var workers: [String]

  @OptionGroup var product: ProductOptions
  @OptionGroup var time: TimeoutOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try await WorkerChange(product: product, time: time, output: output).run(
      workers, doing: "stopping"
    ) {
      host, name, options in
      try await host.stopWorker(StopWorkerRequest(name: name), options: options).worker
    }
  }
}

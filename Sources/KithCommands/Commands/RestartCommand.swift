import ArgumentParser
import HostContract

/// `kith restart`
struct RestartCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restart",
    abstract: "Replaces the processes of workers, and tells what became of the calls meanwhile.",
    discussion: """
      A worker that allows two processes at once (`overlap: true`) serves on until the new one is ready; callers of \
      another that wait for ready are held. When a new process does not become ready, an old one that is still there \
      serves on, and the exit code says so. Several workers are replaced as one action, each after those that it requires.

      EXAMPLES
        kith restart risk-engine
        kith restart risk-engine --with-dependents
        kith restart --all
      """)

  @Argument(help: "The workers, by their names in the product.")
  var workers: [String] = []

  @Flag(help: "All workers of the product that are wanted up.")
  var all = false

  @Flag(help: "Also the workers that require those named.")
  var withDependents = false

  @OptionGroup var product: ProductOptions
  @OptionGroup var time: TimeoutOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard all == workers.isEmpty else {
      throw ValidationError("name the workers, or say --all; not both")
    }
  }

  func run() async throws {
    try await ReplacementReport(product: product, time: time, output: output).run(
      workers, doing: "restarting"
    ) {
      host, options in
      try await host.restartWorkers(
        RestartWorkersRequest(names: workers, all: all, withDependents: withDependents),
        options: options
      ).replacements
    }
  }
}

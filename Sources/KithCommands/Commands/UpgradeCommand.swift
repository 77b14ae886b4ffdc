import ArgumentParser
import HostContract
import KithClient

/// `kith upgrade`
struct UpgradeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upgrade",
    abstract: "Runs a worker from another folder, and goes back by itself when that does not work.",
    discussion: """
      The folder has the plugin.yaml of the new version, and its program in bin or beside kithd. A worker that allows \
      two processes at once loses no call; callers of another are held meanwhile if they wait for ready. When the new \
      process does not become ready, the worker runs as before and the exit code says so. It is for the host that runs: \
      the next `kith up` takes the folder that is found on its search path.

      EXAMPLES
        kith upgrade risk-engine --to ./RiskEngine-1.1.0
      """)

  @Argument(help: "The worker, by its name in the product.")
  var worker: String

  @Option(
    name: .customLong("to"),
    help: ArgumentHelp("The folder with the new plugin.yaml.", valueName: "dir"))
  var folder: String

  @OptionGroup var product: ProductOptions
  @OptionGroup var time: TimeoutOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let directory = try Surroundings.folder(folder, option: "--to")
    try await ReplacementReport(product: product, time: time, output: output).run(
      [worker], doing: "upgrading"
    ) {
      host, options in
      let response = try await host.upgradeWorker(
        UpgradeWorkerRequest(name: worker, directory: directory), options: options)
      return [response.replacement].compactMap(\.self)
    }
  }
}

import ArgumentParser
import HostContract
import KithClient

/// `kith upgrade`
struct UpgradeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upgrade",
    abstract:
      "Runs a worker, or the host, from another place, and goes back when that does not work.",
    discussion: """
      The folder has the plugin.yaml of the new version, and its program in bin or beside kithd. A worker that allows \
      two processes at once loses no call; callers of another are held meanwhile if they wait for ready. When the new \
      process does not become ready, the worker runs as before and the exit code says so. It lasts until `kith down`: \
      the next `kith up` takes the folder that is found on its search path.

      With --host it is kithd itself that becomes another program, or what lies at its own path by now. Its workers go \
      on and do not notice.

      EXAMPLES
        kith upgrade risk-engine --to ./RiskEngine-1.1.0
        kith upgrade --host --to ./kith-0.2.0/kithd
      """)

  @Argument(help: "The worker, by its name in the product.")
  var worker: String?

  @Flag(help: "Upgrade the host itself.")
  var host = false

  @Option(
    name: .customLong("to"),
    help: ArgumentHelp(
      "The folder with the new plugin.yaml, or the new kithd.", valueName: "dir|file"))
  var place: String?

  @OptionGroup var product: ProductOptions
  @OptionGroup var time: TimeoutOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (worker != nil) != host else {
      throw ValidationError("name a worker, or --host for the host, and not both")
    }
    guard host || place != nil else {
      throw ValidationError("--to DIR is missing: the folder with the new plugin.yaml")
    }
  }

  func run() async throws {
    guard let worker, let place else {
      return try await HostUpgrade(product: product, time: time, output: output).run(to: place)
    }
    let directory = try Surroundings.folder(place, option: "--to")
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

import ArgumentParser
import KithHost
import KithJSON
import KithPlanning

/// `kithd check`: what the workers of a product say of their configuration.
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Asks the workers' programs whether they take the configuration of a product.",
    discussion: """
      Each program is run with --check-configuration in its worker's sandbox, without state, sockets and network, for at most \
      five seconds. One line of JSON for each worker: worker, outcome (passed, refused, notOffered, unknown), problems with key \
      and reason. Nothing is started. `kith plan`, `kith up` and `kith apply` ask this first.
      """)

  @OptionGroup var manifest: ManifestOptions

  @Option(help: "The one folder of a product that is started with --root.")
  var root: String?

  func run() throws {
    do {
      for verdict in try ConfigurationTrials.verdicts(
        product: manifest.product, pluginFolders: manifest.plugins, root: root)
      {
        print(verdict.json.text())
      }
    } catch {
      print("kithd: \(error)")
      throw ExitCode(error.exitCode)
    }
  }
}

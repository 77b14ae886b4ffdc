import ArgumentParser
import KithJSON
import KithManifest

/// `kith plan`
struct PlanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Checks a product's manifest and shows what would run. Starts nothing.",
    discussion: """
      All that is wrong is shown with file, line and column; the exit code is 65 then.

      EXAMPLES
        kith plan boomer-buddy
        kith plan ./my-product.yaml --plugins ./my-plugins
      """)

  @Argument(help: "The product: its name, or the path of its manifest.")
  var product: String

  @OptionGroup var plugins: PluginOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let plan = try plugins.reader(environment: Surroundings.current.environment).plan(product)
    try plan.checkCredentials()
    try Output.line(output.json ? plan.json.text(pretty: true) : plan.description)
  }
}

/// Where plugins are looked for.
struct PluginOptions: ParsableArguments {
  @Option(
    name: .customLong("plugins"), parsing: .singleValue,
    help: ArgumentHelp(
      "A folder with plugins, searched before all others. May be repeated.", valueName: "dir"))
  var folders: [String] = []

  /// What reads the manifests.
  /// - Throws: ``CommandFailure`` with exit code 64 when a folder is empty.
  func reader(environment: [String: String]) throws(CommandFailure) -> ManifestReader {
    var paths: [String] = []
    for folder in folders { paths.append(try Surroundings.folder(folder, option: "--plugins")) }
    return ManifestReader(folders: paths, environment: environment)
  }
}

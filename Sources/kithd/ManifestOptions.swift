import ArgumentParser

/// Which product, and where its plugins are.
struct ManifestOptions: ParsableArguments {
  @Option(help: "The product: its name, or the path of its manifest.")
  var product: String

  @Option(
    parsing: .singleValue,
    help: "A folder with plugins; searched before all others. May be repeated.")
  var plugins: [String] = []
}

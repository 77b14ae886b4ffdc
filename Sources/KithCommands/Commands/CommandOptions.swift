import ArgumentParser
import KithRPC
import KithVerbs

/// Which product is meant.
struct ProductOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The product. By default KITH_PRODUCT, else the one that runs.", valueName: "name"))
  var product: String?

  @Option(
    help: ArgumentHelp(
      "The one folder of a product that was started with --root. By default KITH_ROOT.",
      valueName: "dir"))
  var root: String?

  mutating func validate() throws { root = root ?? Surroundings.standardRoot }

  /// The running product that is meant.
  /// - Parameter workers: the workers that the command names; they tell which product is meant when
  ///   several run.
  func running(
    _ surroundings: Surroundings, workers: [String] = []
  ) async throws -> RunningProduct {
    try await RunningProduct.find(
      product: product, root: root, workers: workers, environment: surroundings.environment)
  }
}

extension ProductOptions {
  /// The options again, for a command that a person is shown: ` --root /tmp/demo`.
  var words: String {
    (product.map { " --product \($0)" } ?? "") + (root.map { " --root \($0)" } ?? "")
  }

  /// The product that is meant, if its host is gone and its workers run on.
  func left(_ surroundings: Surroundings) -> OrphanedProduct? {
    OrphanedProduct.find(product: product, root: root, environment: surroundings.environment)
  }
}

/// How the outcome is written.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Write JSON, also for errors.")
  var json = false
}

/// How long a command may take.
struct TimeoutOptions: ParsableArguments {
  // Whatever stands behind it is its value, so that a negative one is told from none.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How long it may take: 500ms, 5s, 2m. (default: 30s)", valueName: "time"),
    transform: TimeLimit.init(option:))
  var timeout = TimeLimit(.seconds(30))

  /// The options of a call within that time.
  var callOptions: CallOptions { CallOptions(timeout: timeout.duration) }
}

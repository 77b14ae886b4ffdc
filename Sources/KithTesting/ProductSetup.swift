import Glibc
public import KithJSON
public import KithManifest
public import KithTime

/// What a test boots: a product, or a part of one, and the plugins that it is made of.
///
/// ```swift
/// let setup = ProductSetup(product: "milo")
///   .only("reminders")                                 // and what it requires
///   .configuring("reminders", ["missed_after": "10m"])
///   .starting(at: Instant("2026-03-07T12:00:00Z"))     // in virtual time
///   .relayed()                                         // so that the ways between workers can fail
/// ```
public struct ProductSetup: Sendable {
  /// A program of a plugin that is a script, for workers that misbehave in ways that no SDK allows.
  public struct Script: Sendable {
    /// Its name in `plugin.yaml`.
    public var name: String
    /// Its text, `#!/bin/sh` and all.
    public var text: String

    /// A script.
    public init(name: String, text: String) {
      self.name = name
      self.text = text
    }
  }

  /// A plugin that is written for the test.
  public struct Plugin: Sendable {
    /// The text of its `plugin.yaml`.
    public var manifest: String
    /// Its programs that are scripts; others are found beside `kithd`.
    public var scripts: [Script]

    /// A plugin.
    public init(manifest: String, scripts: [Script] = []) {
      self.manifest = manifest
      self.scripts = scripts
    }

    /// Writes it as a plugin folder of this name.
    public func write(to folder: TemporaryFolder, as name: String) throws(TestingError) {
      try folder.write(manifest, to: "\(name)/plugin.yaml")
      for script in scripts {
        try folder.write(script.text, to: "\(name)/bin/\(script.name)", mode: 0o755)
      }
    }
  }

  /// The product: the name of one that ships, or the text of a manifest, which has more than one
  /// line.
  public var product: String
  /// Plugins that are written for the test, beside those that ship.
  public var plugins: [Plugin]
  /// Variables over those of the test itself.
  public var environment: [String: String?]
  /// The workers that are wanted; those that they require come along. Empty means all.
  public var workers: Set<String> = []
  /// Configuration over that of the manifest, by worker and key.
  public var configuration: [String: [String: JSONValue]] = [:]
  /// What the clocks show first, which are then moved by hand. Nil for the machine's.
  public var start: Instant?
  /// Whether the kit stands between workers and their callers, so that faults of an ``Edge`` can
  /// act.
  public var relaysConnections = false
  /// Workers that have a disk of their own, of so many mebibytes, which can be full. Takes the
  /// right to mount one.
  public var smallDisks: [String: Int] = [:]
  /// What all chance of the test comes from.
  public var seed = Seed.fresh

  /// A product and its plugins.
  public init(
    product: String, plugins: [Plugin] = [], environment: [String: String?] = [:]
  ) {
    self.product = product
    self.plugins = plugins
    self.environment = environment
  }

  /// A product that is made up in code, of workers by name and the names of their plugins.
  public init(
    workers: KeyValuePairs<String, String>, posture: Posture = .ephemeral, plugins: [Plugin] = []
  ) {
    let lines = workers.map { "  \($0.key): { plugin: \($0.value) }\n" }
    self.init(
      product: """
        product: test
        title: Test
        posture: \(posture.rawValue)
        workers:

        """ + lines.joined(), plugins: plugins)
  }

  // MARK: Choices

  /// Only these workers and those that they require.
  public func only(_ workers: String...) -> ProductSetup {
    with { $0.workers.formUnion(workers) }
  }

  /// With these values in the configuration of a worker.
  public func configuring(_ worker: String, _ values: [String: JSONValue]) -> ProductSetup {
    with { $0.configuration[worker, default: [:]].merge(values) { $1 } }
  }

  /// In virtual time, which begins at this instant.
  public func starting(at start: Instant?) -> ProductSetup {
    with { $0.start = start }
  }

  /// With the kit between workers and their callers; see ``Edge``.
  public func relayed() -> ProductSetup {
    with { $0.relaysConnections = true }
  }

  /// With a disk for one worker alone, which can be full; see ``Fault/fullDisk(_:)``.
  public func smallDisk(of worker: String, mebibytes: Int = 4) -> ProductSetup {
    with { $0.smallDisks[worker] = mebibytes }
  }

  private func with(_ change: (inout ProductSetup) -> Void) -> ProductSetup {
    var changed = self
    change(&changed)
    return changed
  }

  // MARK: Files

  /// Writes what must be files below a folder and returns the arguments of `kithd run`.
  public func launchArguments(writingTo folder: TemporaryFolder) throws -> [String] {
    for (index, plugin) in plugins.enumerated() {
      try plugin.write(to: folder, as: "plugins/p\(index)")
    }
    try folder.write("", to: "plugins/products/.keep")
    if product.contains("\n") { try folder.write(product, to: productFile) }
    if !workers.isEmpty || !configuration.isEmpty {
      try folder.write(try part(in: folder), to: productFile)
    }
    let time = start.map { ["--virtual-time", "\($0.milliseconds)"] } ?? []
    return [
      "run", "--root", "\(folder.path)/r", "--plugins", "\(folder.path)/plugins", "--product",
      manifest(in: folder),
    ] + time
  }

  private var productFile: String { "plugins/products/product.yaml" }

  /// The manifest's name, or the path of the one that was written.
  private func manifest(in folder: TemporaryFolder) -> String {
    let path = "\(folder.path)/\(productFile)"
    return access(path, F_OK) == 0 ? path : product
  }

  private func reader(_ folder: TemporaryFolder) throws -> ManifestReader {
    let path = getenv("KITH_PLUGIN_PATH").map { String(cString: $0) }
    return ManifestReader(
      folders: ["\(folder.path)/plugins"], environment: ["KITH_PLUGIN_PATH": path ?? ""],
      programDirectory: try Program.builtFolder())
  }

  /// The product's name, once its files are written.
  func name(in folder: TemporaryFolder) throws -> String {
    try reader(folder).product(manifest(in: folder)).name
  }

  /// The text of the manifest with the part that is wanted.
  private func part(in folder: TemporaryFolder) throws -> String {
    let reader = try reader(folder)
    let whole = try reader.product(manifest(in: folder))
    let names = whole.workers.map(\.name)
    for name in workers.union(configuration.keys) where !names.contains(name) {
      throw TestingError(
        "\(whole.name) has no worker \(name); it has \(names.joined(separator: ", "))")
    }
    let kept =
      workers.isEmpty
      ? Set(names) : whole.workers(neededBy: workers, in: reader.catalogue())
    return try ProductManifest.part(
      of: whole.sources[0].text, file: whole.sources[0].file, keeping: kept,
      configuration: configuration)
  }
}

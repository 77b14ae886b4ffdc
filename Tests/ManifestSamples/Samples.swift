public import KithManifest

/// Manifests that are right; each test changes the one thing that it is about.
public enum Samples {
  /// A plugin.yaml with every usual key.
  public static let plugin = """
    plugin: risk-engine
    version: 1.0.0
    executable: risk-engine-worker
    provides: [kith.risk.v1.RiskEngine]
    requires: []
    overlap: true
    restart: { type: permanent, strategy: one_for_one, intensity: 5, period: 30s }
    limits: { memory: 256MiB, open_files: 256 }
    network: none
    config:
      label_high: { type: double, range: 0..1, default: 0.70, doc: "Scores from here on are labelled high." }

    """

  /// A small plugin in the catalogue.
  public static func plugin(
    _ name: String, provides: [String] = [], requires: [String] = [], config: String = "{}",
    more: String = "", executable: String? = "/bin/program"
  ) throws -> CataloguedPlugin {
    let text = """
      plugin: \(name)
      version: 1.0.0
      executable: \(name)-worker
      provides: [\(provides.joined(separator: ", "))]
      requires: [\(requires.joined(separator: ", "))]
      config: \(config)
      \(more)
      """
    return CataloguedPlugin(
      manifest: try PluginManifest(parsing: text, file: "\(name)/plugin.yaml"),
      directory: "/plugins/\(name)", executablePath: executable,
      executableCandidates: ["/plugins/\(name)/bin/\(name)-worker", "/usr/bin/\(name)-worker"])
  }

  /// A product of these workers.
  public static func product(_ workers: String, more: String = "") throws -> ProductManifest {
    try ProductManifest(
      parsing: "product: sample\n\(more)\nworkers:\n\(workers)", file: "sample.yaml")
  }
}

/// The errors of a body that must throw them.
public func errors(_ body: () throws -> Void) -> [ManifestError] {
  do {
    try body()
    return []
  } catch let error as ManifestErrors {
    return error.errors
  } catch {
    return []
  }
}

/// A plugin as it was found.
public struct CataloguedPlugin: Sendable, Equatable {
  /// What it says about itself.
  public let manifest: PluginManifest
  /// Its folder: where its resources are.
  public let directory: String
  /// The path of its program; `nil` when it is nowhere.
  public let executablePath: String?
  /// Where its program was looked for.
  public let executableCandidates: [String]

  /// Creates a found plugin.
  public init(
    manifest: PluginManifest, directory: String, executablePath: String?,
    executableCandidates: [String] = []
  ) {
    self.manifest = manifest
    self.directory = directory
    self.executablePath = executablePath
    self.executableCandidates = executableCandidates
  }
}

/// The plugins that can be run, each name once.
public struct PluginCatalogue: Sendable, Equatable {
  /// The plugins by name.
  public let plugins: [CataloguedPlugin]
  /// The folders that were searched.
  public let searchPath: [String]
  /// What is wrong with plugins that could not be read. A plan that cannot do without them tells of
  /// it as errors, any other as warnings.
  public let errors: [ManifestError]
  /// Of these errors, those of plugins that say their name and are not among ``plugins``, by that
  /// name.
  public let unusable: [String: [ManifestError]]

  /// A catalogue of these plugins. Of two with one name the first stands.
  public init(
    plugins: [CataloguedPlugin], searchPath: [String] = [], errors: [ManifestError] = [],
    unusable: [String: [ManifestError]] = [:]
  ) {
    var byName: [String: CataloguedPlugin] = [:]
    for plugin in plugins where byName[plugin.manifest.name] == nil {
      byName[plugin.manifest.name] = plugin
    }
    self.plugins = byName.values.sorted { $0.manifest.name < $1.manifest.name }
    self.searchPath = searchPath
    self.errors = errors
    self.unusable = unusable.filter { byName[$0.key] == nil }
  }

  /// The plugin of that name.
  public subscript(name: String) -> CataloguedPlugin? {
    plugins.first { $0.manifest.name == name }
  }
}

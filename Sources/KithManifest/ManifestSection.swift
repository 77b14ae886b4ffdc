/// The keys that one mapping of a manifest may have. The decoder refuses all others.
public struct ManifestSection: Sendable, Hashable {
  /// Its name, by which keys refer to it: `limits`.
  public let name: String
  /// What the mapping describes, in a sentence.
  public let doc: String
  /// What an error expects in the mapping's place:
  /// `a mapping: { memory: 256MiB, open_files: 256 }`.
  let form: String
  /// Its keys, in the order in which help shows them.
  public let keys: [ManifestKey]

  init(_ name: String, _ doc: String, form: String, keys: [ManifestKey]) {
    self.name = name
    self.doc = doc
    self.form = form
    self.keys = keys
  }

  /// The sections of a product's manifest, the outermost first.
  public static let ofProducts: [ManifestSection] = [
    ProductManifest.section, WorkerEntry.section, NetworkEndpoint.listenSection,
    NetworkEndpoint.remoteSection, MetricsEndpoint.section, AlertRule.section, Pager.section,
  ]

  /// The sections of a `plugin.yaml`, the outermost first.
  public static let ofPlugins: [ManifestSection] = [
    PluginManifest.section, ConfigurationKey.section, Requirement.section, NetworkGrant.section,
  ]

  /// The sections that a plugin and a worker of a product both have.
  public static let ofBoth: [ManifestSection] = [
    RestartPolicy.section, RestartPolicy.budgetsSection, RestartPolicy.budgetSection,
    Backoff.section, Backoff.quarantineSection, ResourceLimits.section, StoreSettings.section,
    HTTPGrant.section, ProgramsGrant.section,
  ]
}

/// A worker of a product's manifest. What is absent is as the plugin says.
public struct WorkerEntry: Sendable, Equatable {
  /// The worker's name in the product.
  public let name: String
  /// Where the name stands.
  public let location: SourceLocation
  /// The name of its plugin as it was written; see ``plugin``.
  public let statedPlugin: String?
  /// Where the name of its plugin stands.
  public let pluginLocation: SourceLocation
  /// What it sets of its plugin's configuration, unchecked.
  public let configuration: [ManifestValue.Entry]

  /// What it may connect to, where that is not as its plugin states; nil where it is.
  public let network: NetworkGrant?

  /// Where it listens for callers on other machines too; nil when it does not.
  public let listen: NetworkEndpoint?

  /// The port at which it may listen for HTTP, where it is not that of its plugin.
  public let http: HTTPGrant?
  /// Where that stands; nil where it is the plugin's.
  public let httpLocation: SourceLocation?

  /// The programs of a person that it may see and signal, where they are not as its plugin states.
  public let programs: ProgramsGrant?

  /// What it states of restarts, to be laid over what its plugin states, and so below.
  package let restart: RestartPolicy.Overrides
  /// What it states of limits.
  package let limits: ResourceLimits.Overrides
  /// What it states of its store.
  package let store: StoreSettings.Overrides
  /// Its own time to become ready.
  package let startTimeout: Duration?
  /// Its own time to drain.
  package let stopTimeout: Duration?
  /// Its own watchdog: absent where it states none, nil within for `off`.
  package let watchdog: Duration??

  /// The name of its plugin: the worker's own name unless told.
  public var plugin: String { statedPlugin ?? name }

  init?(_ entry: ManifestValue.Entry, findings: Findings) {
    name = entry.key
    location = entry.location
    if !Names.isKebab(entry.key) {
      findings.add(
        ManifestError(
          .outOfRange, "the worker's name is '\(entry.key.prefix(80))'", at: entry.location,
          expected: Scalars.kebabForm))
    } else if ReservedNames.host.contains(entry.key) {
      findings.add(
        ManifestError(
          .outOfRange, "the worker's name is '\(entry.key)'", at: entry.location,
          expected: "another name: the host's own files have this one"))
    } else if ReservedNames.commands.contains(entry.key) {
      findings.add(
        ManifestError(
          .outOfRange, "the worker's name is '\(entry.key)'", at: entry.location,
          expected: "another name, with the plugin's under 'plugin' where they differ: "
            + "`kith \(entry.key)` is a command"))
    }
    // `reminders:` with nothing after it means the same as `reminders: {}`.
    var value = entry.value
    if value.content == .null { value.content = .mapping([]) }
    guard let fields = FieldDecoder(value, Self.section, findings: findings) else { return nil }
    let plugin = fields.stated(Keys.plugin)
    statedPlugin = plugin?.value
    pluginLocation = plugin?.location ?? entry.location
    configuration = fields.read(Keys.configuration) ?? []
    listen = fields.read(Keys.listen).flatMap {
      NetworkEndpoint($0, isDialled: false, findings: findings)
    }
    network = fields.read(PluginManifest.Keys.network).flatMap {
      NetworkGrant($0, findings: findings)
    }
    let httpValue = fields.read(HTTPGrant.key)
    http = httpValue.flatMap { HTTPGrant($0, findings: findings) }
    httpLocation = httpValue?.location
    programs = fields.read(ProgramsGrant.key).flatMap { ProgramsGrant($0, findings: findings) }
    restart =
      fields.read(RestartPolicy.key).map { RestartPolicy.Overrides($0, findings: findings) }
      ?? RestartPolicy.Overrides()
    limits =
      fields.read(ResourceLimits.key).map { ResourceLimits.Overrides($0, findings: findings) }
      ?? ResourceLimits.Overrides()
    store =
      fields.read(StoreSettings.key).map { StoreSettings.Overrides($0, findings: findings) }
      ?? StoreSettings.Overrides()
    startTimeout = fields.read(PluginManifest.Keys.startTimeout)
    stopTimeout = fields.read(PluginManifest.Keys.stopTimeout)
    watchdog = fields.read(PluginManifest.Keys.watchdog)
  }

  private init(_ entry: WorkerEntry, over base: WorkerEntry) {
    name = entry.name
    location = entry.location
    statedPlugin = entry.statedPlugin ?? base.statedPlugin
    pluginLocation =
      entry.statedPlugin == nil && base.statedPlugin != nil
      ? base.pluginLocation : entry.pluginLocation
    configuration =
      base.configuration.filter { old in !entry.configuration.contains { $0.key == old.key } }
      + entry.configuration
    listen = entry.listen ?? base.listen
    network = entry.network ?? base.network
    http = entry.http ?? base.http
    httpLocation = entry.httpLocation ?? base.httpLocation
    programs = entry.programs ?? base.programs
    restart = entry.restart.over(base.restart)
    limits = entry.limits.over(base.limits)
    store = entry.store.over(base.store)
    startTimeout = entry.startTimeout ?? base.startTimeout
    stopTimeout = entry.stopTimeout ?? base.stopTimeout
    watchdog = entry.watchdog ?? base.watchdog
  }

  /// This entry over that of a product's base.
  func over(_ base: WorkerEntry) -> WorkerEntry {
    WorkerEntry(self, over: base)
  }

  private enum Keys {
    static let plugin = Key<String>(
      "plugin", type: "name", shown: "the worker's name", doc: "The plugin that it runs."
    ) { $0.kebabName($1) }
    static let configuration = Key<[ManifestValue.Entry]>(
      "config", type: "mapping of keys", standard: [], shown: "the plugin's",
      doc: "Values for the plugin's configuration keys."
    ) { scalars, value in
      switch value.content {
      case .null: return []
      case .mapping(let entries): return entries
      case .scalar, .list:
        return scalars.wrongType(value, "a mapping of configuration keys to values")
      }
    }
    static let listen = Key.nested(
      "listen", shown: "none", section: "listen",
      doc: "An address for callers on other machines.")
  }

  static let section = ManifestSection(
    "workers", "One worker, by its name. What it leaves out is as its plugin states.",
    form: "a mapping: { config: { ... } }, or {} for the plugin's defaults",
    keys: [
      Keys.plugin.manifest, Keys.configuration.manifest, RestartPolicy.key.manifest.ofWorker,
      ResourceLimits.key.manifest.ofWorker, StoreSettings.key.manifest.ofWorker,
      PluginManifest.Keys.startTimeout.manifest.ofWorker,
      PluginManifest.Keys.stopTimeout.manifest.ofWorker,
      PluginManifest.Keys.watchdog.manifest.ofWorker,
      PluginManifest.Keys.network.manifest.ofWorker, HTTPGrant.key.manifest.ofWorker,
      ProgramsGrant.key.manifest.ofWorker, Keys.listen.manifest,
    ])
}

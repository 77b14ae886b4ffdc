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

  /// Where it listens for callers on other machines too; nil when it does not.
  public let listen: NetworkEndpoint?

  /// The port at which it may listen for HTTP, where it is not that of its plugin.
  public let http: HTTPGrant?
  /// Where that stands; nil where it is the plugin's.
  public let httpLocation: SourceLocation?

  let restart: [ManifestValue]
  let limits: [ManifestValue]
  let store: [ManifestValue]
  let startTimeout: Duration?
  let stopTimeout: Duration?
  /// Its own watchdog: absent where it states none, nil within for `off`.
  let watchdog: Duration??

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
    guard
      var fields = FieldDecoder(
        value, "a mapping: { config: { ... } }, or {} for the plugin's defaults",
        findings: findings)
    else { return nil }
    let pluginEntry = fields.take("plugin")
    statedPlugin = pluginEntry.flatMap {
      Scalars(name: "'plugin'", findings: findings).kebabName($0.value)
    }
    pluginLocation = pluginEntry?.value.location ?? entry.location
    configuration = fields.take("config").flatMap { Self.entries($0.value, findings) } ?? []
    listen = fields.take("listen").flatMap {
      NetworkEndpoint($0.value, isDialled: false, findings: findings)
    }
    let httpEntry = fields.take("http")
    http = httpEntry.flatMap { HTTPGrant($0.value, findings: findings) }
    httpLocation = httpEntry?.value.location
    restart = fields.take("restart").map { [$0.value] } ?? []
    limits = fields.take("limits").map { [$0.value] } ?? []
    store = fields.take("store").map { [$0.value] } ?? []
    startTimeout = fields.value("start_timeout", default: nil) {
      $0.duration($1, PluginManifest.startTimeouts)
    }
    stopTimeout = fields.value("stop_timeout", default: nil) {
      $0.duration($1, PluginManifest.stopTimeouts)
    }
    watchdog = fields.value("watchdog", default: nil) {
      PluginManifest.watchdog($0, $1).map(Optional.some)
    }
    fields.finish()
    // Read for their errors now, so that all of a file's errors come together; over the plugin's values in the plan.
    for value in restart { _ = RestartPolicy(value, over: .standard, findings: findings) }
    for value in limits { _ = ResourceLimits(value, over: ResourceLimits(), findings: findings) }
    for value in store { _ = StoreSettings(value, over: StoreSettings(), findings: findings) }
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
    http = entry.http ?? base.http
    httpLocation = entry.httpLocation ?? base.httpLocation
    restart = base.restart + entry.restart
    limits = base.limits + entry.limits
    store = base.store + entry.store
    startTimeout = entry.startTimeout ?? base.startTimeout
    stopTimeout = entry.stopTimeout ?? base.stopTimeout
    watchdog = entry.watchdog ?? base.watchdog
  }

  /// This entry over that of a product's base.
  func over(_ base: WorkerEntry) -> WorkerEntry {
    WorkerEntry(self, over: base)
  }

  /// The plugin's restart policy with what this entry says laid over it.
  func restart(over standard: RestartPolicy) -> RestartPolicy {
    restart.reduce(standard) { RestartPolicy($1, over: $0, findings: Findings()) ?? $0 }
  }

  /// The plugin's limits with what this entry says laid over them.
  func limits(over standard: ResourceLimits) -> ResourceLimits {
    limits.reduce(standard) { ResourceLimits($1, over: $0, findings: Findings()) ?? $0 }
  }

  /// The plugin's settings of its store with what this entry says laid over them.
  func store(over standard: StoreSettings) -> StoreSettings {
    store.reduce(standard) { StoreSettings($1, over: $0, findings: Findings()) ?? $0 }
  }

  private static func entries(
    _ value: ManifestValue, _ findings: Findings
  ) -> [ManifestValue.Entry]? {
    switch value.content {
    case .null: return []
    case .mapping(let entries): return entries
    case .scalar, .list:
      return Scalars(name: "'config'", findings: findings)
        .wrongType(value, "a mapping of configuration keys to values")
    }
  }
}

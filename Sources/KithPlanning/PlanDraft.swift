import KithJSON
import KithManifest

/// A worker whose plugin has been found.
struct PlanDraft {
  let entry: WorkerEntry
  let plugin: CataloguedPlugin
  let configuration: JSONObject
  let restart: RestartPolicy
  let limits: ResourceLimits

  init(
    entry: WorkerEntry, plugin: CataloguedPlugin, posture: Posture, findings: Findings
  ) {
    self.entry = entry
    self.plugin = plugin
    let manifest = plugin.manifest
    configuration = manifest.configuration.configuration(
      entry.configuration, plugin: manifest.name, at: entry.location, findings: findings)
    let file = manifest.location.file
    restart = RestartPolicy(
      entry.restart.over(manifest.restartOverrides), plugin: file, findings: findings)
    limits = ResourceLimits(
      entry.limits.over(manifest.limitOverrides), plugin: file, findings: findings)
    if plugin.executablePath == nil {
      findings.add(Self.missingExecutable(plugin))
    }
    if !manifest.postures.contains(posture) {
      findings.add(
        ManifestError(
          .postureMismatch,
          "\(manifest.name) does not support the posture \(posture.rawValue) of the product",
          at: entry.location,
          expected: "a posture of \(manifest.postures.map(\.rawValue).joined(separator: ", "))"))
    }
  }

  /// The port at which it may listen for HTTP.
  var http: HTTPGrant? { entry.http ?? plugin.manifest.http }

  func worker(dependencies: [Requirement]) -> PlannedWorker {
    let manifest = plugin.manifest
    return PlannedWorker(
      name: entry.name, plugin: manifest.name, pluginVersion: manifest.version,
      pluginDirectory: plugin.directory, executablePath: plugin.executablePath ?? "",
      provides: manifest.provides, requires: manifest.requires, dependencies: dependencies,
      overlap: manifest.overlap && entry.listen == nil && http == nil,
      restart: restart, limits: limits,
      store: StoreSettings(entry.store.over(manifest.storeOverrides)),
      network: entry.network ?? manifest.network, http: http,
      programs: entry.programs ?? manifest.programs,
      actsForUsers: manifest.actsFor == .users,
      listen: entry.listen,
      startTimeout: entry.startTimeout ?? manifest.startTimeout,
      stopTimeout: entry.stopTimeout ?? manifest.stopTimeout,
      watchdog: entry.watchdog ?? manifest.watchdog, configuration: configuration,
      sensitiveKeys: manifest.configuration.sensitiveNames)
  }

  /// Where the value of each configuration key that the product states begins.
  var configurationPlaces: ConfigurationPlaces {
    ConfigurationPlaces(
      worker: entry.location,
      keys: Dictionary(
        entry.configuration.map { ($0.key, $0.value.location) }, uniquingKeysWith: { $1 }))
  }

  private static func missingExecutable(_ plugin: CataloguedPlugin) -> ManifestError {
    ManifestError(
      .missingExecutable,
      "the program '\(plugin.manifest.executable)' of \(plugin.manifest.name) is missing",
      at: plugin.manifest.executableLocation,
      expected: plugin.executableCandidates.isEmpty
        ? "an executable file"
        : "an executable file at \(plugin.executableCandidates.joined(separator: " or ")); "
          + "is it built?")
  }
}

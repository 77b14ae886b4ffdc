public import KithJSON

/// What a product's manifest comes to with the plugins at hand: which workers run, in which order, how configured.
///
/// A pure function of the two: the same manifest and catalogue give the same plan, and what can be known to be wrong
/// is refused here, before anything starts.
public struct Plan: Sendable, Equatable {
  /// The product's name.
  public let product: String
  /// The product's title.
  public let title: String
  /// What the product keeps.
  public let posture: Posture
  /// The workers in start order: each after those that it requires, else as in the manifest. They stop in reverse.
  public let workers: [PlannedWorker]
  /// The services that workers on other machines serve.
  public let remoteServices: [RemoteService]
  /// Where the product's metrics are to be had; nil for nowhere.
  public let metrics: MetricsEndpoint?
  /// The product's alert rules.
  public let alerts: [AlertRule]
  /// Where alerts of severity `page` are sent; nil for nowhere.
  public let pager: Pager?
  /// What is odd and yet no reason to refuse: plugins that could not be read and are not needed.
  public let warnings: [ManifestError]
  /// The manifests that it was made of.
  public let manifests: ManifestCopy

  /// Plans a product.
  /// - Throws: all that is wrong: a missing plugin or program, configuration that its plugin does not understand, a
  ///   posture that a plugin does not support, a contract that two workers provide or that none does, a cycle.
  public init(product: ProductManifest, catalogue: PluginCatalogue) throws(ManifestErrors) {
    let findings = Findings()
    if product.workers.isEmpty {
      findings.add(
        ManifestError(
          .missingKey, "\(product.name) has no workers, and its base has none",
          at: product.location,
          expected: "at least one under 'workers'"))
    }
    var drafts: [Draft] = []
    var missing: [WorkerEntry] = []
    for entry in product.workers {
      guard let plugin = catalogue[entry.plugin] else {
        missing.append(entry)
        continue
      }
      drafts.append(
        Draft(entry: entry, plugin: plugin, posture: product.posture, findings: findings))
    }
    Self.explain(missing, catalogue).forEach(findings.add)
    try findings.throwIfAny()

    let providers = Self.providers(drafts, findings: findings)
    for remote in product.remoteServices {
      guard let position = providers[remote.service] else { continue }
      findings.add(
        ManifestError(
          .duplicateService,
          "\(remote.service) is said to be elsewhere, and \(drafts[position].entry.name) provides it here",
          at: remote.location, expected: "one of the two: remove the other"))
    }
    Self.check(product.alerts, drafts, findings: findings)
    Self.checkPorts(drafts, metrics: product.metrics, findings: findings)
    let remotes = Set(product.remoteServices.map(\.service))
    let dependencies = drafts.map {
      Self.dependencies(
        $0, names: drafts.map(\.entry.name), providers: providers, remotes: remotes,
        catalogue: catalogue, findings: findings)
    }
    try findings.throwIfAny()
    let order = StartOrder(dependencies: dependencies.map { Set($0.keys) })
    for cycle in order.cycles {
      findings.add(Self.cycle(cycle.map { drafts[$0] }))
    }
    try findings.throwIfAny()

    self.product = product.name
    title = product.title
    posture = product.posture
    remoteServices = product.remoteServices
    metrics = product.metrics
    alerts = product.alerts
    pager = product.pager
    workers = order.positions.map { position in
      drafts[position].worker(
        dependencies: order.positions.compactMap { dependencies[position][$0] })
    }
    warnings = catalogue.errors
    manifests = ManifestCopy(product: product.sources, plugins: Self.copies(of: drafts))
  }

  /// The worker of that name.
  public func worker(named name: String) -> PlannedWorker? {
    workers.first { $0.name == name }
  }

  /// The plan as JSON for `--json` output; sensitive values are `<sensitive>`.
  public var json: JSONValue {
    [
      "product": .string(product), "title": .string(title), "posture": .string(posture.rawValue),
      "workers": .array(workers.map(\.json)),
      "remote": .object(
        JSONObject(remoteServices.map { ($0.service, .string($0.endpoint.address)) })),
      "metrics": metrics.map { metrics in
        [
          "port": metrics.port.map { .integer(Int64($0)) } ?? .null,
          "socket": .bool(metrics.hasSocket),
        ]
      } ?? .null,
      "alerts": .array(
        alerts.map {
          [
            "name": .string($0.name), "condition": .string($0.description),
            "severity": .string($0.severity.rawValue),
          ]
        }),
      "pager": pager.map { .string("\($0)") } ?? .null,
      "warnings": .array(warnings.map { .string($0.description) }),
    ]
  }

  // MARK: Checks

  /// A worker whose plugin has been found.
  private struct Draft {
    let entry: WorkerEntry
    let plugin: CataloguedPlugin
    let configuration: JSONObject

    init(
      entry: WorkerEntry, plugin: CataloguedPlugin, posture: Posture, findings: Findings
    ) {
      self.entry = entry
      self.plugin = plugin
      let manifest = plugin.manifest
      configuration = manifest.configuration.configuration(
        entry.configuration, plugin: manifest.name, at: entry.location, findings: findings)
      if plugin.executablePath == nil {
        findings.add(Plan.missingExecutable(plugin))
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
        restart: entry.restart(over: manifest.restart),
        limits: entry.limits(over: manifest.limits), store: entry.store(over: manifest.store),
        network: manifest.network, http: http, actsForUsers: manifest.actsFor == .users,
        listen: entry.listen,
        startTimeout: entry.startTimeout ?? manifest.startTimeout,
        stopTimeout: entry.stopTimeout ?? manifest.stopTimeout,
        watchdog: entry.watchdog ?? manifest.watchdog, configuration: configuration,
        sensitiveKeys: manifest.configuration.sensitiveNames)
    }
  }

  /// Why plugins are missing: one that is there and wrong is told by what is wrong with it and by nothing else.
  private static func copies(of drafts: [Draft]) -> [ManifestCopy.Plugin] {
    var copies: [ManifestCopy.Plugin] = []
    for plugin in drafts.map(\.plugin) {
      let copy = ManifestCopy.Plugin(
        manifest: plugin.manifest.source, directory: plugin.directory,
        executablePath: plugin.executablePath ?? "")
      if !copies.contains(copy) { copies.append(copy) }
    }
    return copies
  }

  private static func explain(
    _ missing: [WorkerEntry], _ catalogue: PluginCatalogue
  ) -> [ManifestError] {
    var errors: [ManifestError] = []
    var absent: [WorkerEntry] = []
    var told: Set<String> = []
    for entry in missing {
      guard let unusable = catalogue.unusable[entry.plugin] else {
        absent.append(entry)
        continue
      }
      if told.insert(entry.plugin).inserted { errors += unusable }
    }
    guard !absent.isEmpty else { return errors }
    // What could not be read and does not say its name may be the very plugin.
    let named = Set(catalogue.unusable.values.flatMap { $0 }.map(\.description))
    errors += catalogue.errors.filter { !named.contains($0.description) }
    return errors + absent.map { missingPlugin($0, catalogue) }
  }

  private static func missingPlugin(
    _ entry: WorkerEntry, _ catalogue: PluginCatalogue
  ) -> ManifestError {
    let names = catalogue.plugins.map(\.manifest.name)
    let searched =
      catalogue.searchPath.isEmpty
      ? "" : " (searched: \(catalogue.searchPath.joined(separator: ", ")))"
    return ManifestError(
      .missingPlugin, "there is no plugin '\(entry.plugin)'\(searched)", at: entry.pluginLocation,
      expected: names.isEmpty
        ? "a folder with its plugin.yaml on the search path"
        : "one of \(names.joined(separator: ", "))",
      suggestion: nearestName(to: entry.plugin, among: names))
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

  /// Refuses a port for HTTP that is somebody else's too: the later of the two could not listen.
  private static func checkPorts(
    _ drafts: [Draft], metrics: MetricsEndpoint?, findings: Findings
  ) {
    var owners: [UInt16: String] = [:]
    if let port = metrics?.port { owners[port] = "the product's metrics" }
    for draft in drafts {
      if let port = draft.entry.listen?.port { owners[port] = "'listen' of \(draft.entry.name)" }
    }
    for draft in drafts {
      guard let port = draft.http?.port else { continue }
      guard let owner = owners[port] else {
        owners[port] = "'http' of \(draft.entry.name)"
        continue
      }
      findings.add(
        ManifestError(
          .outOfRange, "'http' of \(draft.entry.name) has the port \(port), which \(owner) has",
          at: draft.entry.httpLocation ?? draft.entry.location,
          expected: "a port of its own: http: { port: NUMBER } under the worker"))
    }
  }

  /// Refuses rules that watch what is not there, and would never fire.
  private static func check(_ alerts: [AlertRule], _ drafts: [Draft], findings: Findings) {
    let names = drafts.map(\.entry.name)
    for rule in alerts {
      for name in rule.workers where !names.contains(name) {
        findings.add(
          ManifestError(
            .outOfRange, "the alert '\(rule.name)' watches '\(name)', which is no worker",
            at: rule.location, expected: "one of \(names.joined(separator: ", "))",
            suggestion: nearestName(to: name, among: names)))
      }
      let watched = drafts.filter { rule.workers.isEmpty || rule.workers.contains($0.entry.name) }
      let services = watched.flatMap(\.plugin.manifest.provides)
      for method in rule.methods {
        let service = String(method.prefix { $0 != "/" })
        guard !services.contains(service) else { continue }
        findings.add(
          ManifestError(
            .outOfRange,
            "the alert '\(rule.name)' watches \(method), which no worker that it watches provides",
            at: rule.location, expected: "a method of \(services.joined(separator: ", "))",
            suggestion: nearestName(to: service, among: services)))
      }
    }
  }

  /// Which worker, by position, serves what.
  private static func providers(_ drafts: [Draft], findings: Findings) -> [String: Int] {
    var providers: [String: Int] = [:]
    for (position, draft) in drafts.enumerated() {
      for service in draft.plugin.manifest.provides {
        if let first = providers[service] {
          findings.add(
            ManifestError(
              .duplicateService,
              "\(draft.entry.name) provides \(service), which "
                + "\(drafts[first].entry.name) provides already",
              at: draft.entry.location, expected: "one worker for each contract: remove one"))
        } else {
          providers[service] = position
        }
      }
    }
    return providers
  }

  /// What a worker requires of the workers that serve it, by their positions.
  private static func dependencies(
    _ draft: Draft, names: [String], providers: [String: Int], remotes: Set<String>,
    catalogue: PluginCatalogue,
    findings: Findings
  ) -> [Int: Requirement] {
    var found: [Int: Requirement] = [:]
    for requirement in draft.plugin.manifest.requires where !remotes.contains(requirement.name) {
      let service = requirement.name
      if let position = providers[service] {
        let worker = Requirement(
          names[position], health: requirement.health, onLoss: requirement.onLoss)
        found[position] = found[position].map { $0.joined(with: worker) } ?? worker
        continue
      }
      if requirement.isOptional { continue }
      let known = catalogue.plugins.filter { $0.manifest.provides.contains(service) }
      let services = catalogue.plugins.flatMap(\.manifest.provides)
      findings.add(
        ManifestError(
          .missingService,
          "\(draft.entry.name) requires \(service), which no worker of the product provides",
          at: draft.entry.location,
          expected: known.isEmpty
            ? "a plugin that provides it (required at \(draft.plugin.manifest.requiresLocation))"
            : "the worker \(known.map(\.manifest.name).joined(separator: " or ")) in the product",
          suggestion: known.isEmpty ? nearestName(to: service, among: services) : nil))
    }
    return found
  }

  private static func cycle(_ drafts: [Draft]) -> ManifestError {
    let names = (drafts + drafts.prefix(1)).map(\.entry.name)
    return ManifestError(
      .cycle, "workers require each other: \(names.joined(separator: " -> "))",
      at: drafts[0].entry.location,
      expected: "no way back: remove one of these from 'requires' in its plugin.yaml")
  }
}

extension Plan: CustomStringConvertible {
  /// The plan for a person: a line for the product and a few for each worker, in start order.
  public var description: String {
    let count = workers.count == 1 ? "1 worker" : "\(workers.count) workers"
    var lines = ["\(title) (\(product)), \(posture.rawValue), \(count):"]
    for (position, worker) in workers.enumerated() {
      let plugin = worker.plugin == worker.name ? "" : "\(worker.plugin) "
      lines.append("\(position + 1). \(worker.name)  \(plugin)\(worker.pluginVersion)")
      lines.append("     runs      \(worker.executablePath)")
      if !worker.provides.isEmpty {
        lines.append("     provides  \(worker.provides.joined(separator: ", "))")
      }
      if !worker.dependencies.isEmpty {
        let names = worker.dependencies.map(\.description)
        lines.append("     after     \(names.joined(separator: ", "))")
      }
      if worker.restart != .standard { lines.append("     restarts  \(worker.restart)") }
      if worker.watchdog != PluginManifest.standardWatchdog {
        lines.append("     watchdog  \(worker.watchdog.map(\.short) ?? "off")")
      }
      if worker.store != StoreSettings() { lines.append("     store     \(worker.store)") }
      for (position, grant) in worker.grants.enumerated() {
        let label = position == 0 ? "grants    " : "          "
        lines.append("     \(label)\(grant.name): \(grant.text)")
      }
      if !worker.configuration.isEmpty {
        let members = worker.shownConfiguration.map { "\($0.name)=\($0.value)" }
        lines.append("     config    \(members.joined(separator: " "))")
      }
    }
    lines += remoteServices.map { "elsewhere: \($0.service)  \($0.endpoint.address)" }
    if let port = metrics?.port { lines.append("metrics: http://127.0.0.1:\(port)/metrics") }
    if metrics?.hasSocket == true { lines.append("metrics: on metrics.sock") }
    lines += alerts.map { "alert: \($0.name)  \($0.severity.rawValue) on \($0)" }
    lines += pager.map { ["pager: \($0)"] } ?? []
    lines += warnings.map { "warning: \($0)" }
    return lines.joined(separator: "\n")
  }
}

public import KithJSON
public import KithManifest

/// What a product's manifest comes to with the plugins at hand: which workers run, in which order,
/// how configured.
///
/// A pure function of the two: the same manifest and catalogue give the same plan, and what can be
/// known to be wrong is refused here, before anything starts.
public struct Plan: Sendable, Equatable {
  /// The product's name.
  public let product: String
  /// The product's title.
  public let title: String
  /// What the product keeps.
  public let posture: Posture
  /// The workers in start order: each after those that it requires, else as in the manifest. They
  /// stop in reverse.
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
  /// Where the configuration of each worker stands, by the worker's name.
  let configurationPlaces: [String: ConfigurationPlaces]

  /// Plans a product.
  /// - Throws: all that is wrong: a missing plugin or program, configuration that its plugin does
  ///   not understand, a posture that a plugin does not support, a contract that two workers
  ///   provide or that none does, a cycle.
  public init(product: ProductManifest, catalogue: PluginCatalogue) throws(ManifestErrors) {
    let findings = Findings()
    if product.workers.isEmpty {
      findings.add(
        ManifestError(
          .missingKey, "\(product.name) has no workers, and its base has none",
          at: product.location,
          expected: "at least one under 'workers'"))
    }
    var drafts: [PlanDraft] = []
    var missing: [WorkerEntry] = []
    for entry in product.workers {
      guard let plugin = catalogue[entry.plugin] else {
        missing.append(entry)
        continue
      }
      drafts.append(
        PlanDraft(entry: entry, plugin: plugin, posture: product.posture, findings: findings))
    }
    Self.explain(missing, catalogue).forEach(findings.add)
    try findings.throwIfAny()

    let dependencies = Self.ordering(
      Self.checkedDependencies(drafts, of: product, catalogue, findings: findings))
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
    configurationPlaces = Dictionary(
      drafts.map { ($0.entry.name, $0.configurationPlaces) }, uniquingKeysWith: { $1 })
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

import KithManifest

/// What can be known to be wrong with a product before anything starts.
extension Plan {
  /// What each worker requires of the others, by their positions; what is wrong between workers,
  /// remote services, alerts and ports is noted.
  static func checkedDependencies(
    _ drafts: [PlanDraft], of product: ProductManifest, _ catalogue: PluginCatalogue,
    findings: Findings
  ) -> [[Int: Requirement]] {
    let providers = providers(drafts, findings: findings)
    for remote in product.remoteServices {
      guard let position = providers[remote.service] else { continue }
      findings.add(
        ManifestError(
          .duplicateService,
          "\(remote.service) is said to be elsewhere, and \(drafts[position].entry.name) provides it here",
          at: remote.location, expected: "one of the two: remove the other"))
    }
    check(product.alerts, drafts, findings: findings)
    checkPorts(drafts, metrics: product.metrics, findings: findings)
    let remotes = Set(product.remoteServices.map(\.service))
    return drafts.map {
      dependencies(
        $0, names: drafts.map(\.entry.name), providers: providers, remotes: remotes,
        catalogue: catalogue, findings: findings)
    }
  }

  /// The manifests of the plugins, each once.
  static func copies(of drafts: [PlanDraft]) -> [ManifestCopy.Plugin] {
    var copies: [ManifestCopy.Plugin] = []
    for plugin in drafts.map(\.plugin) {
      let copy = ManifestCopy.Plugin(
        manifest: plugin.manifest.source, directory: plugin.directory,
        executablePath: plugin.executablePath ?? "")
      if !copies.contains(copy) { copies.append(copy) }
    }
    return copies
  }

  /// Why plugins are missing: one that is there and wrong is told by what is wrong with it and by
  /// nothing else.
  static func explain(
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

  /// Refuses a port for HTTP that is somebody else's too: the later of the two could not listen.
  static func checkPorts(
    _ drafts: [PlanDraft], metrics: MetricsEndpoint?, findings: Findings
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
  static func check(_ alerts: [AlertRule], _ drafts: [PlanDraft], findings: Findings) {
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
  static func providers(_ drafts: [PlanDraft], findings: Findings) -> [String: Int] {
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
  static func dependencies(
    _ draft: PlanDraft, names: [String], providers: [String: Int], remotes: Set<String>,
    catalogue: PluginCatalogue,
    findings: Findings
  ) -> [Int: Requirement] {
    var found: [Int: Requirement] = [:]
    for requirement in draft.plugin.manifest.requires where !remotes.contains(requirement.name) {
      let service = requirement.name
      if let position = providers[service] {
        let worker = Requirement(
          names[position], health: requirement.health, onLoss: requirement.onLoss,
          isOptional: requirement.isOptional)
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

  /// The requirements that order the start. Workers that require each other, such as two that
  /// follow each other's events, are started in their own order where an optional requirement can
  /// wait: on each cycle the first one that has no effect when it is lost orders nothing.
  static func ordering(_ dependencies: [[Int: Requirement]]) -> [[Int: Requirement]] {
    var ordering = dependencies
    while true {
      let cycles = StartOrder(dependencies: ordering.map { Set($0.keys) }).cycles
      let ways = cycles.compactMap { cycle in
        zip(cycle, cycle.dropFirst() + cycle.prefix(1)).first { from, to in
          from != to && ordering[from][to].map { $0.isOptional && $0.onLoss == .ignore } ?? false
        }
      }
      if ways.isEmpty { return ordering }
      for (from, to) in ways { ordering[from][to] = nil }
    }
  }

  static func cycle(_ drafts: [PlanDraft]) -> ManifestError {
    let names = (drafts + drafts.prefix(1)).map(\.entry.name)
    return ManifestError(
      .cycle, "workers require each other: \(names.joined(separator: " -> "))",
      at: drafts[0].entry.location,
      expected: "no way back: remove one of these from 'requires' in its plugin.yaml")
  }
}

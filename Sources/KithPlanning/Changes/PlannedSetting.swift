import KithJSON
import KithManifest

/// A setting of a worker or a product under the name that the manifests have for it, and what a
/// change of it reaches.
struct PlannedSetting: Equatable {
  /// What must be touched for a changed setting to take effect.
  enum Reach: Equatable {
    /// The host alone.
    case host
    /// The configuration of the process: this key.
    case configuration(String)
    /// The process: it needs a new one.
    case process
  }

  var key: String
  /// The value as a manifest has it; nil where it is not set.
  var value: String?
  var reach: Reach
  var isSensitive = false
}

extension PlannedWorker {
  /// Every setting of the worker.
  func settings(in plan: Plan) -> [PlannedSetting] {
    identity(in: plan) + supervision + reached(in: plan)
      + configuration.members.map { member in
        PlannedSetting(
          key: "config.\(member.name)", value: member.value.stringValue ?? member.value.text(),
          reach: .configuration(member.name), isSensitive: sensitiveKeys.contains(member.name))
      }
  }

  private func identity(in plan: Plan) -> [PlannedSetting] {
    [
      PlannedSetting(key: "plugin", value: plugin, reach: .process),
      PlannedSetting(key: "version", value: pluginVersion, reach: .process),
      PlannedSetting(key: "folder", value: pluginDirectory, reach: .process),
      PlannedSetting(key: "executable", value: executablePath, reach: .process),
      PlannedSetting(
        key: "provides", value: provides.joined(separator: ", "), reach: .process),
      PlannedSetting(
        key: "requires", value: requires.map(\.name).joined(separator: ", "), reach: .process),
      PlannedSetting(key: "posture", value: plan.posture.rawValue, reach: .process),
    ]
  }

  /// What the supervisor alone must know, and the watchdog, which is agreed on with the process.
  private var supervision: [PlannedSetting] {
    var settings = [
      PlannedSetting(key: "overlap", value: String(overlap), reach: .host),
      PlannedSetting(
        key: "after", value: dependencies.map(\.description).joined(separator: ", "), reach: .host),
      PlannedSetting(key: "restart.type", value: restart.kind.rawValue, reach: .host),
      PlannedSetting(key: "restart.strategy", value: restart.strategy.rawValue, reach: .host),
      PlannedSetting(key: "restart.budget", value: restart.budget.description, reach: .host),
    ]
    settings += RestartPolicy.Cause.allCases.map { cause in
      PlannedSetting(
        key: "restart.budgets.\(cause.rawValue)", value: restart.budgets[cause]?.description,
        reach: .host)
    }
    let backoff = restart.backoff
    for (key, time) in [
      ("restart.backoff.shortest", backoff.shortest), ("restart.backoff.longest", backoff.longest),
      ("restart.backoff.healthy_after", backoff.healthyAfter),
      ("restart.quarantine.shortest", backoff.shortestQuarantine),
      ("restart.quarantine.longest", backoff.longestQuarantine), ("start_timeout", startTimeout),
      ("stop_timeout", stopTimeout),
    ] {
      settings.append(PlannedSetting(key: key, value: time.short, reach: .host))
    }
    settings.append(
      PlannedSetting(key: "watchdog", value: watchdog?.short ?? "off", reach: .process))
    return settings
  }

  /// What the process may use and reach.
  private func reached(in plan: Plan) -> [PlannedSetting] {
    limits.settings + store.settings
      + [
        PlannedSetting(key: "network", value: network.description, reach: .process),
        PlannedSetting(key: "http.port", value: http.map { String($0.port) }, reach: .process),
        PlannedSetting(key: "programs", value: programs?.description, reach: .process),
        PlannedSetting(
          key: "acts_for", value: (actsForUsers ? ActsFor.users : .caller).rawValue,
          reach: .process),
      ]
      + (listen.map { $0.settings("listen", reach: .process) } ?? [])
      // Its process may connect to these and to no others.
      + plan.remoteServices.filter { remote in requires.contains { $0.name == remote.service } }
      .flatMap { $0.endpoint.settings("remote.\($0.service)", reach: .process) }
  }
}

extension ResourceLimits {
  fileprivate var settings: [PlannedSetting] {
    [
      PlannedSetting(
        key: "limits.memory", value: memoryBytes.map(Self.words), reach: .process),
      PlannedSetting(
        key: "limits.memory_high", value: memoryHighBytes.map(Self.words), reach: .process),
      PlannedSetting(key: "limits.open_files", value: openFiles.map(String.init), reach: .process),
      PlannedSetting(key: "limits.processes", value: processes.map(String.init), reach: .process),
      PlannedSetting(key: "limits.cpu", value: processors.map { "\($0)" }, reach: .process),
      PlannedSetting(
        key: "limits.cpu_weight", value: processorWeight.map(String.init), reach: .process),
    ]
  }
}

extension StoreSettings {
  fileprivate var settings: [PlannedSetting] {
    [
      PlannedSetting(key: "store.when_damaged", value: whenDamaged.rawValue, reach: .process),
      PlannedSetting(key: "store.keep_events", value: keepEvents.short, reach: .process),
      PlannedSetting(
        key: "store.keep_events_size", value: ResourceLimits.words(keepEventsBytes),
        reach: .process),
    ]
  }
}

extension NetworkEndpoint {
  fileprivate func settings(_ prefix: String, reach: PlannedSetting.Reach) -> [PlannedSetting] {
    [
      PlannedSetting(key: "\(prefix).address", value: address, reach: reach),
      PlannedSetting(key: "\(prefix).authorities", value: credentials?.authorities, reach: reach),
      PlannedSetting(key: "\(prefix).certificate", value: credentials?.certificate, reach: reach),
      PlannedSetting(key: "\(prefix).private_key", value: credentials?.privateKey, reach: reach),
      PlannedSetting(
        key: "\(prefix).acts_for", value: actsForText.isEmpty ? nil : actsForText, reach: reach),
    ]
  }
}

extension Plan {
  /// The settings of the product itself. Those of a remote service that a worker here requires are
  /// that worker's too.
  var settings: [PlannedSetting] {
    [
      PlannedSetting(key: "title", value: title, reach: .host),
      PlannedSetting(
        key: "metrics.port", value: metrics?.port.map { String($0) }, reach: .host),
      PlannedSetting(
        key: "metrics.socket", value: metrics?.hasSocket == true ? "true" : nil, reach: .host),
      PlannedSetting(key: "pager", value: pager.map { "\($0)" }, reach: .host),
    ]
      + alerts.map {
        PlannedSetting(key: "alerts.\($0.name)", value: $0.wholeText, reach: .host)
      } + remoteServices.flatMap { $0.endpoint.settings("remote.\($0.service)", reach: .host) }
  }
}

extension AlertRule {
  /// Everything that it says.
  fileprivate var wholeText: String {
    var text = "\(severity.rawValue) on \(self)"
    if !workers.isEmpty { text += ", of \(workers.joined(separator: ", "))" }
    return measure.isOfCalls ? text + ", from \(minimumCalls) calls on" : text
  }
}

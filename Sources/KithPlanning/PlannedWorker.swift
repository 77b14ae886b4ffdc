public import KithJSON
public import KithManifest

/// A worker as it will be run: nothing left to look up or to check.
public struct PlannedWorker: Sendable, Equatable {
  /// Its name in the product.
  public let name: String
  /// The name of its plugin.
  public let plugin: String
  /// The version of its plugin.
  public let pluginVersion: String
  /// The folder of its plugin.
  public let pluginDirectory: String
  /// The path of its program.
  public let executablePath: String
  /// The full names of the services that it serves.
  public let provides: [String]
  /// The services that it calls.
  public let requires: [Requirement]
  /// The workers that serve what it requires, in start order; each stands before it in the plan.
  public let dependencies: [Requirement]
  /// Whether two generations may serve at once: never when it listens on the network or for HTTP,
  /// where two cannot.
  public let overlap: Bool
  /// When it is started again.
  public let restart: RestartPolicy
  /// What its process may use.
  public let limits: ResourceLimits
  /// How its store is kept.
  public let store: StoreSettings
  /// What it may reach.
  public let network: NetworkGrant
  /// The port at which it may listen for HTTP; nil for none.
  public let http: HTTPGrant?
  /// The programs of a person that it may see and signal; nil for none.
  public let programs: ProgramsGrant?
  /// Whether it may speak for every person to other workers; else only for the person whose call it
  /// handles.
  public let actsForUsers: Bool
  /// Where it listens for callers on other machines too; nil when it does not.
  public let listen: NetworkEndpoint?
  /// How long it may take from the start of its process until it is ready.
  public let startTimeout: Duration
  /// How long it may take from the order to drain until its process has ended.
  public let stopTimeout: Duration
  /// How long it may show no progress before it counts as stuck and is replaced; nil for never.
  public let watchdog: Duration?
  /// Its configuration: a member for each key of the plugin's schema, in that order.
  public let configuration: JSONObject
  /// The keys of the configuration whose values are shown to nobody.
  public let sensitiveKeys: [String]

  /// The configuration for people: sensitive values are `<sensitive>`.
  public var shownConfiguration: JSONObject {
    var shown = configuration
    for key in sensitiveKeys where shown[key] != nil { shown[key] = "<sensitive>" }
    return shown
  }

  /// The worker as JSON for `--json` output, as the proto3 JSON mapping would write it: names in
  /// camelCase, numbers of 64 bits (`...Ms`, `...Bytes`) as texts, nothing for what is absent.
  /// Times are in milliseconds. `config` is what the worker gets, under the names of its own keys,
  /// with `<sensitive>` for sensitive values.
  public var json: JSONValue {
    var shownLimits = JSONObject()
    if let bytes = limits.memoryBytes { shownLimits["memoryBytes"] = .string(String(bytes)) }
    if let bytes = limits.memoryHighBytes {
      shownLimits["memoryHighBytes"] = .string(String(bytes))
    }
    if let files = limits.openFiles { shownLimits["openFiles"] = .integer(Int64(files)) }
    if let processes = limits.processes { shownLimits["processes"] = .integer(Int64(processes)) }
    if let processors = limits.processors { shownLimits["cpu"] = .number(processors) }
    if let weight = limits.processorWeight { shownLimits["cpuWeight"] = .integer(Int64(weight)) }
    var object: JSONObject = [
      "name": .string(name), "plugin": .string(plugin), "pluginVersion": .string(pluginVersion),
      "pluginDirectory": .string(pluginDirectory), "executable": .string(executablePath),
      "provides": .array(provides.map { .string($0) }),
      "requires": .array(requires.map { .string($0.name) }),
      "dependencies": .array(dependencies.map(\.json)),
      "overlap": .bool(overlap),
      "restart": restart.json,
      "limits": .object(shownLimits),
      "store": [
        "whenDamaged": .string(store.whenDamaged.rawValue), "keepEventsMs": store.keepEvents.json,
        "keepEventsBytes": .string(String(store.keepEventsBytes)),
      ], "grants": grantsJSON,
      "startTimeoutMs": startTimeout.json, "stopTimeoutMs": stopTimeout.json,
      "config": .object(shownConfiguration),
    ]
    if let watchdog { object["watchdogMs"] = watchdog.json }
    return .object(object)
  }
}

extension Requirement {
  fileprivate var json: JSONValue {
    [
      "worker": .string(name), "health": .string(health.rawValue),
      "onLoss": .string(onLoss.rawValue),
    ]
  }
}

extension RestartPolicy {
  fileprivate var json: JSONValue {
    var object: JSONObject = [
      "type": .string(kind.rawValue), "strategy": .string(strategy.rawValue),
      "intensity": .integer(Int64(budget.intensity)), "periodMs": budget.period.json,
      "backoff": [
        "shortestMs": backoff.shortest.json, "longestMs": backoff.longest.json,
        "healthyAfterMs": backoff.healthyAfter.json,
      ],
      "quarantine": [
        "shortestMs": backoff.shortestQuarantine.json, "longestMs": backoff.longestQuarantine.json,
      ],
    ]
    if !budgets.isEmpty {
      var own = JSONObject()
      for cause in Cause.allCases {
        guard let budget = budgets[cause] else { continue }
        own[cause.rawValue] = [
          "intensity": .integer(Int64(budget.intensity)), "periodMs": budget.period.json,
        ]
      }
      object["budgets"] = .object(own)
    }
    return .object(object)
  }
}

extension Duration {
  /// Whole milliseconds.
  fileprivate var json: JSONValue { .string(String(inMilliseconds)) }
}

public import KithJSON

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
  /// The full names of the services that it calls.
  public let requires: [String]
  /// The names of the workers that serve what it requires, in start order; each stands before it in the plan.
  public let dependencies: [String]
  /// Whether two generations may serve at once.
  public let overlap: Bool
  /// When it is started again.
  public let restart: RestartPolicy
  /// What its process may use.
  public let limits: ResourceLimits
  /// What it may reach.
  public let network: NetworkGrant
  /// Where it listens for callers on other machines too; nil when it does not.
  public let listen: NetworkEndpoint?
  /// How long it may take from the start of its process until it is ready.
  public let startTimeout: Duration
  /// How long it may take from the order to drain until its process has ended.
  public let stopTimeout: Duration
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

  /// The worker as JSON for `--json` output. Times are in milliseconds, sensitive values are `<sensitive>`.
  public var json: JSONValue {
    [
      "name": .string(name), "plugin": .string(plugin), "plugin_version": .string(pluginVersion),
      "plugin_directory": .string(pluginDirectory), "executable": .string(executablePath),
      "provides": .array(provides.map { .string($0) }),
      "requires": .array(requires.map { .string($0) }),
      "dependencies": .array(dependencies.map { .string($0) }),
      "overlap": .bool(overlap),
      "restart": [
        "type": .string(restart.kind.rawValue), "strategy": .string(restart.strategy.rawValue),
        "intensity": .integer(Int64(restart.intensity)), "period_ms": restart.period.json,
      ],
      "limits": [
        "memory_bytes": limits.memoryBytes.map { JSONValue($0) } ?? nil,
        "open_files": limits.openFiles.map { .integer(Int64($0)) } ?? nil,
      ],
      "network": .string(network.rawValue),
      "listen": listen.map { .string($0.address) } ?? nil, "start_timeout_ms": startTimeout.json,
      "stop_timeout_ms": stopTimeout.json, "config": .object(shownConfiguration),
    ]
  }
}

extension Duration {
  /// Whole milliseconds.
  fileprivate var json: JSONValue {
    .integer(components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000)
  }
}

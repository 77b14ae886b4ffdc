/// Who may import whom: the layers of Architecture.md as data.
///
/// A module that is not listed, or an import that its row does not name, fails `ImportTests`. Change a row only together
/// with the picture in Architecture.md, and only downwards.
enum Layers {
  /// What every module may import: the standard library's own modules and the system's C library.
  static let everywhere: Set<String> = ["Swift", "Synchronization", "_Concurrency"]

  /// Modules of values and decisions: they import neither the system nor Foundation, so that no clock, file or socket can
  /// hide in them. `KithManifest` reads text into values, `KithTime` the system's time zones; of each, one file opens files.
  static let rows: [String: Set<String>] = [
    // Layer 1: values and decisions.
    "KithWire": ["CProtobufC", "Glibc"],
    "KithJSON": ["FoundationEssentials"],
    "KithManifest": ["KithJSON", "Yams", "Glibc"],
    "KithMetrics": [],
    "KithTime": ["Glibc"],
    "KithPersonalData": ["Crypto"],
    "KithCertificates": ["Crypto", "FoundationEssentials", "SwiftASN1"],
    "KithSupervision": ["KithManifest", "KithMetrics"],

    // Layer 2: calls and their transports.
    "RPCContract": contract("RPC", serves: false),
    "KithRPC": ["KithWire", "DequeModule", "Dispatch", "Glibc"],
    "KithTransportNng": ["KithCertificates", "KithRPC", "KithWire", "CNng", "Dispatch", "Glibc"],
    "KithTransportInProcess": ["KithRPC", "KithWire", "Dispatch", "Glibc"],
    "KithTelemetry": ["KithPersonalData", "KithRPC", "Tracing"],
    "KithAccess": ["KithRPC", "Glibc"],

    // Layer 3: contracts.
    "AccessContract": contract("Access"),
    "DescriptorContract": contract("Descriptor", serves: false),
    "EventsContract": contract("Events"),
    "HealthContract": contract("Health"),
    "HostContract": contract("Host", using: ["Metrics"]),
    "IdentityContract": contract("Identity", serves: false),
    "MetricsContract": contract("Metrics"),
    "ReflectionContract": contract("Reflection"),
    "WorkerContract": contract("Worker", using: ["Events"]),
    "KithReflection": ["DescriptorContract", "KithJSON", "KithWire"],

    // Layer 4: shells.
    "KithPlanning": ["KithManifest", "KithReflection", "Glibc"],
    "KithClient": [
      "HostContract", "KithIdentity", "KithRPC", "KithTransportNng", "FoundationEssentials",
      "Glibc",
    ],
    "KithIdentity": ["IdentityContract", "KithRPC", "KithWire", "Crypto", "Glibc"],
    "KithSealing": ["Crypto", "CryptoExtras", "Glibc"],
    "KithStore": [
      "KithAccess", "KithRPC", "KithSealing", "KithWire", "Crypto", "GRDB", "FoundationEssentials",
      "Glibc",
    ],
    "KithAccessStore": ["AccessContract", "KithAccess", "KithRPC", "KithStore", "KithWire"],
    "KithWorkerStore": [
      "EventsContract", "KithAccess", "KithAccessStore", "KithRPC", "KithSealing", "KithStore",
      "KithTime", "KithWire", "KithWorker", "WorkerContract", "Logging",
    ],
    "KithWorker": [
      "EventsContract", "HealthContract", "KithAccess", "KithClient", "KithIdentity", "KithJSON",
      "KithMetrics",
      "KithPersonalData", "KithRPC", "KithTelemetry", "KithTime", "KithTransportNng", "KithWire",
      "MetricsContract", "ReflectionContract", "WorkerContract", "Crypto", "Logging", "UnixSignals",
      "FoundationEssentials", "Glibc",
    ],
    "KithHost": [
      "EventsContract", "HealthContract", "HostContract", "IdentityContract", "KithAccess",
      "KithIdentity", "KithJSON", "KithManifest", "KithMetrics",
      "KithPersonalData",
      "KithPlanning", "KithRPC", "KithSealing", "KithSupervision", "KithTransportNng", "KithWire",
      "MetricsContract", "WorkerContract", "CLinux", "Crypto", "FoundationEssentials", "Glibc",
    ],
    "KithCommands": [
      "ArgumentParser", "EventsContract", "HostContract", "KithAccess", "KithClient", "KithJSON",
      "KithManifest",
      "KithMetrics", "KithPlanning", "KithReflection", "KithRPC", "KithSealing", "KithStore",
      "KithTime", "KithWire", "MetricsContract", "ReflectionContract", "CLinux",
      "Dispatch", "UnixSignals", "FoundationEssentials", "Glibc",
    ],

    // Layer 5: programs.
    "kithd": ["ArgumentParser", "KithHost", "UnixSignals", "Glibc"],
    "kith": ["KithCommands"],

    // Beside: for tests only.
    "KithTesting": [
      "EventsContract", "HostContract", "KithClient", "KithJSON", "KithManifest", "KithRPC",
      "KithSupervision", "KithTime", "KithWire", "Glibc",
    ],
  ]

  /// What the generated Swift of an area imports: its own C, the descriptors that all contracts share, and the contracts of the
  /// areas whose messages it uses.
  static func contract(
    _ area: String, serves: Bool = true, using others: [String] = []
  ) -> Set<String> {
    Set(["\(area)ContractC", "OptionsContractC", "KithWire"])
      .union(serves ? ["KithRPC"] : [])
      .union(others.flatMap { ["\($0)Contract", "\($0)ContractC"] })
  }

  /// Whether the generated Swift of a plugin's contract may import a module. Plugins meet through contracts, so these may use
  /// one another's messages.
  static func allowed(area: String, import name: String) -> Bool {
    contract(area).contains(name) || name.hasSuffix("Contract") || name.hasSuffix("ContractC")
  }

  /// The row of a plugin's module; `plugin` is the plugin's folder and `part` the folder below it.
  ///
  /// The same for all plugins, so that one plugin can never see another's code: the contract names are checked by their
  /// suffix, everything else by name.
  static func allowed(plugin: String, part: String, import name: String) -> Bool {
    switch part {
    case "Domain": ["KithTime", "KithPersonalData", "Glibc.exp", "Glibc.pow"].contains(name)
    case "Service":
      name == "\(plugin)Domain" || name.hasSuffix("Contract")
        || [
          "KithAccess", "KithAccessStore", "KithJSON", "KithPersonalData", "KithRPC", "KithStore",
          "KithTime",
          "KithWire", "Crypto", "FoundationEssentials",
        ].contains(name)
    case "Worker":
      [
        "\(plugin)Service", "KithStore", "KithTime", "KithWorker", "KithWorkerStore", "Logging",
      ].contains(name)
    default: false
    }
  }
}

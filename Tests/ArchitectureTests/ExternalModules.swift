/// Which modules may import what is not of this package: each library has few importers, so that
/// its types stay behind them.
enum ExternalModules {
  /// What every module may import.
  static let everywhere: Set<String> = ["Swift", "Synchronization", "_Concurrency"]

  /// Values and decisions: they import each other, no shell, and of the system's library only what
  /// ``importers`` says, so that no clock, file or socket can hide in them.
  static let pure: Set<String> = [
    "KithAppleReceipts", "KithCertificates", "KithJSON", "KithManifest", "KithMetrics",
    "KithPersonalData",
    "KithSupervision", "KithTime", "KithWire", "KithYAML",
  ]

  /// The importers of each library. Those that wrap C are the only ones of it.
  static let importers: [String: Set<String>] = [
    "CCurl": ["KithTransfer"],
    "CLinux": ["KithCommands", "KithHost"],
    "CNng": ["KithTransportNng"],
    "CProtobufC": ["KithWire"],
    "CYAML": ["KithYAML"],
    "GRDB": ["KithStore"],
    "SwiftASN1": ["KithAppleReceipts", "KithCertificates"],
    "X509": ["KithAppleReceipts"],
    "ArgumentParser": ["KithCommands", "kithd"],
    "Crypto": [
      "KithAppleReceipts",
      "KithCertificates", "KithHost", "KithIdentity", "KithPersonalData", "KithSealing",
      "KithStore", "KithWorker",
    ],
    "CryptoExtras": ["KithSealing"],
    "DequeModule": ["KithRPC", "KithTransportNng"],
    "Dispatch": ["KithCommands", "KithRPC", "KithTransportInProcess", "KithTransportNng"],
    "FoundationEssentials": ["KithAppleReceipts", "KithCertificates", "KithHost", "KithStore"],
    // KithManifest and KithTime read files, each in one file; KithPlanning reads programs.
    "Glibc": [
      "KithClient", "KithCommands", "KithHost", "KithIdentity", "KithManifest", "KithPlanning",
      "KithRPC", "KithScaffold", "KithSealing", "KithStore", "KithTerminal", "KithTesting",
      "KithTime", "KithTransfer", "KithTransportInProcess", "KithTransportNng", "KithVerbs",
      "KithWorker", "kithd",
    ],
    "Logging": ["KithWorker", "KithWorkerStore"],
    "Tracing": ["KithTelemetry"],
    "UnixSignals": ["KithCommands", "KithWorker", "kithd"],
  ]

  /// What a part of a plugin may import.
  ///
  /// The same for all plugins, so that one plugin can never see another's code: the contract names
  /// are checked by their suffix, everything else by name.
  static func allowed(plugin: String, part: String, import name: String) -> Bool {
    switch part {
    case "Domain":
      [
        "KithJSON", "KithPersonalData", "KithTime", "Crypto", "Glibc.acos", "Glibc.exp",
        "Glibc.log", "Glibc.pow",
      ].contains(name)
    case "Service":
      name == "\(plugin)Domain" || name.hasSuffix("Contract")
        // The one plugin that reads what Apple has signed.
        || plugin == "Entitlements" && name == "KithAppleReceipts"
        // The one plugin with a network.
        || plugin == "Delivery" && name == "KithTransfer"
        || [
          "KithAccess", "KithAccessStore", "KithJSON", "KithPersonalData", "KithRPC", "KithStore",
          "KithTime", "KithWire", "Crypto", "CryptoExtras", "FoundationEssentials",
        ].contains(name)
    case "Worker":
      plugin == "Delivery" && name == "KithTransfer"
        || [
          "\(plugin)Service", "KithStore", "KithTime", "KithWorker", "KithWorkerStore", "Logging",
        ].contains(name)
    default: false
    }
  }
}

// swift-tools-version: 6.2

import PackageDescription

// MARK: - Settings, once for all targets

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

// MARK: - Libraries that Kith stands on

let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser")
let collections = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
/// Certificates: KithAppleReceipts, and the tests of TLS.
let certificates = Target.Dependency.product(name: "X509", package: "swift-certificates")
let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")
/// The other implementation of protobuf, against which ours is proved. Tests only.
let swiftProtobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")

// MARK: - Shapes of targets

/// A library under `Sources`.
func library(_ name: String, path: String? = nil, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

/// The generated code of one proto package: its C, under `Sources/KithContractsC`, and its Swift,
/// under `Sources/KithContracts`; `area` is the name of both folders, `others` are the areas whose
/// messages it uses. A change of one contract builds only its own two targets again and what uses
/// them.
func contract(
  _ area: String, serves: Bool = true, using others: [String] = [],
  below folder: String = "Sources/KithContracts"
) -> [Target] {
  let ofOthers = others.map { Target.Dependency.byName(name: "\($0)ContractC") }
  return [
    .target(
      name: "\(area)ContractC", dependencies: ["CProtobufC", "OptionsContractC"] + ofOthers,
      path: "\(folder)C/\(area)"),
    .target(
      name: "\(area)Contract",
      dependencies: [.byName(name: "\(area)ContractC"), "KithWire", "OptionsContractC"]
        + (serves ? ["KithRPC"] : []) + ofOthers
        + others.map { .byName(name: "\($0)Contract") },
      path: "\(folder)/\(area)",
      swiftSettings: settings),
  ]
}

/// A program: wiring only.
func program(_ name: String, path: String? = nil, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

/// The tests of one module or subject.
func tests(
  _ name: String, path: String? = nil, _ dependencies: [Target.Dependency],
  resources: [Resource] = []
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, path: path, resources: resources,
    swiftSettings: settings)
}

/// A plugin of this repository: what it adds to the package.
struct Plugin {
  /// The proto package's folder name under `Sources/KithContracts`.
  let area: String
  /// The worker's program, which is a product.
  let executable: String
  /// The contract unless it is one of the platform's, the domain, the service, the program and the
  /// tests.
  let targets: [Target]

  /// The Swift module of its contract.
  var contract: Target.Dependency { .byName(name: "\(area)Contract") }
  /// The program, for tests that run it.
  var program: Target.Dependency { .byName(name: executable) }
}

/// Dependencies, each once.
func distinct(_ dependencies: [Target.Dependency]) -> [Target.Dependency] {
  var seen: Set<String> = []
  return dependencies.filter { seen.insert("\($0)").inserted }
}

/// A plugin: the generated code of its contract, its pure domain, the service that adapts it to its
/// contract, the worker program, and their tests; with a store where it keeps data.
///
/// This is its one line in this file: its product and its place among the dependencies of the tests
/// of all contracts and of all programs follow from it. `area` defaults to its name; `using` are
/// the areas whose messages its contract uses. A contract that it does not own is among the
/// platform's.
func workerPlugin(
  _ name: String, area: String? = nil, ownsContract: Bool = true, using others: [String] = [],
  executable: String? = nil, hasDomain: Bool = true, keepsData: Bool = false,
  domainLibraries: [Target.Dependency] = [],
  serviceLibraries: [Target.Dependency] = [], workerLibraries: [Target.Dependency] = [],
  testLibraries: [Target.Dependency] = []
) -> Plugin {
  let area = area ?? name
  let contractTarget = Target.Dependency.byName(name: "\(area)Contract")
  // RiskEngine becomes risk-engine-worker.
  let words = name.map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.joined()
  let executable = executable ?? "\(words.dropFirst())-worker"
  let store: [Target.Dependency] =
    keepsData ? ["EventsContract", "KithAccess", "KithAccessStore", "KithStore"] : []
  let storeOfWorker: [Target.Dependency] = keepsData ? ["KithStore", "KithWorkerStore"] : []
  let domain: [Target.Dependency] = hasDomain ? [.byName(name: "\(name)Domain")] : []
  return Plugin(
    area: area, executable: executable,
    targets: (ownsContract ? contract(area, using: others) : [])
      + (hasDomain
        ? [library("\(name)Domain", path: "Plugins/\(name)/Domain", domainLibraries)] : [])
      + [
        library(
          "\(name)Service", path: "Plugins/\(name)/Service",
          domain + [contractTarget, "KithJSON", "KithRPC", "KithWire"] + store + serviceLibraries),
        program(
          executable, path: "Plugins/\(name)/Worker",
          [.byName(name: "\(name)Service"), "KithTime", "KithWorker", logging] + storeOfWorker
            + workerLibraries),
        tests(
          "\(name)Tests",
          distinct(
            domain + [
              .byName(name: "\(name)Service"), contractTarget, "KithJSON", "KithRPC",
              "KithTransportInProcess",
            ] + store + (keepsData ? ["KithSealing", "KithTesting", "KithWire"] : [])
              + domainLibraries + testLibraries)),
      ])
}

// MARK: - The layers; a module imports only from layers below (KithHost.docc/Architecture.md)

/// Layer 0: C. Each library has one Swift binding: CCurl KithTransfer, CNng KithTransportNng,
/// CProtobufC KithWire, CYAML KithYAML, CLinux KithHost and KithCommands, which starts it.
let bindings: [Target] = [
  .systemLibrary(name: "CNng", providers: [.apt(["libnng-dev"])]),
  .systemLibrary(name: "CProtobufC", providers: [.apt(["libprotobuf-c-dev"])]),
  .systemLibrary(name: "CYAML", providers: [.apt(["libyaml-dev"])]),
  // libcurl, from Debian's libcurl4-openssl-dev, and what Swift cannot call of it: variadic
  // functions.
  .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
  .target(name: "CLinux"),
  // The descriptors that every contract imports: kith/options.proto and
  // google/protobuf/descriptor.proto.
  .target(name: "OptionsContractC", path: "Sources/KithContractsC/Options"),
]

/// Layer 1: values and decisions; no process, socket or clock.
let pure: [Target] = [
  library("KithWire", ["CProtobufC"]),
  library("KithJSON", []),
  library("KithYAML", ["CYAML"]),
  library("KithManifest", ["KithJSON", "KithYAML"]),
  library("KithCertificates", [asn1, crypto]),
  library("KithAppleReceipts", ["KithJSON", "KithTime", asn1, certificates, crypto]),
  library("KithMetrics", []),
  library("KithTime", []),
  library("KithPersonalData", [crypto]),
  library("KithSupervision", ["KithManifest", "KithMetrics"]),
]

/// Layer 2: calls, and the transports that carry them.
let calls: [Target] =
  contract("RPC", serves: false) + [
    library("KithRPC", ["KithWire", collections]),
    library("KithTransportNng", ["KithCertificates", "KithRPC", "CNng", collections]),
    library("KithTransportInProcess", ["KithRPC"]),
    library("KithTelemetry", ["KithPersonalData", "KithRPC", tracing]),
    library("KithAccess", ["KithRPC"]),
  ]

/// Layer 3: the generated contracts of the platform, and what reads contracts at run time. Those of
/// plugins come with the plugins; family-links's is here because every worker reads its events, and
/// that of entitlements because the SDK of every worker asks it.
let platform: [Target] = [
  contract("Access"),
  contract("Billing"),
  contract("Descriptor", serves: false),
  contract("Events"),
  contract("Worker", using: ["Events"]),
  contract("Host", using: ["Metrics"]),
  contract("Health"),
  contract("Identity", serves: false),
  contract("Metrics"),
  contract("Reflection"),
].flatMap { $0 }
let contracts: [Target] =
  platform + [
    library("KithReflection", ["DescriptorContract", "KithJSON", "KithWire"])
  ]

/// Layer 4: shells that carry decisions out.
let shells: [Target] = [
  library("KithIdentity", ["IdentityContract", "KithRPC", "KithWire", crypto]),
  library("KithSealing", [crypto, cryptoExtras]),
  library("KithTransfer", ["CCurl"]),
  library("KithStore", ["KithAccess", "KithRPC", "KithSealing", "KithWire", crypto, grdb]),
  library("KithAccessStore", ["AccessContract", "KithAccess", "KithRPC", "KithStore", "KithWire"]),
  library(
    "KithWorkerStore",
    [
      "EventsContract", "KithAccess", "KithAccessStore", "KithRPC", "KithSealing", "KithStore",
      "KithTime", "KithWire", "KithWorker", "WorkerContract", logging,
    ]),
  library("KithPlanning", ["KithJSON", "KithManifest", "KithReflection"]),
  library("KithClient", ["HostContract", "KithIdentity", "KithRPC", "KithTransportNng"]),
  library(
    "KithWorker",
    [
      "BillingContract", "EventsContract", "HealthContract", "HostContract", "KithAccess",
      "KithClient", "KithIdentity", "KithJSON", "KithMetrics", "KithPersonalData",
      "KithRPC", "KithTelemetry", "KithTime", "KithTransportNng", "KithWire", "MetricsContract",
      "ReflectionContract",
      "WorkerContract",
      crypto, logging, unixSignals,
    ]),
  library(
    "KithHost",
    [
      "EventsContract", "HealthContract", "HostContract", "IdentityContract", "KithAccess",
      "KithIdentity", "KithJSON",
      "KithManifest", "KithMetrics", "KithPersonalData", "KithPlanning", "KithRPC", "KithSealing",
      "KithSupervision",
      "KithTransportNng", "KithWire",
      "MetricsContract", "WorkerContract", "CLinux", crypto,
    ]),
  // The command line in its subjects: what it reads and shows, verbs made from contracts, new
  // plugins, what other service managers need, and the commands.
  library("KithTerminal", ["KithJSON", "KithRPC"]),
  library(
    "KithVerbs",
    [
      "KithAccess", "KithJSON", "KithManifest", "KithReflection", "KithRPC", "KithTerminal",
      "KithTime", "ReflectionContract",
    ]),
  library("KithScaffold", ["KithManifest", "KithTerminal"]),
  library("KithExport", ["KithManifest", "KithPlanning"]),
  library(
    "KithCommands",
    [
      "EventsContract", "HostContract", "KithAccess", "KithClient", "KithExport", "KithJSON",
      "KithManifest", "KithMetrics", "KithPlanning", "KithReflection", "KithRPC", "KithScaffold",
      "KithSealing", "KithStore", "KithTerminal", "KithTime", "KithVerbs", "KithWire",
      "MetricsContract", "CLinux", argumentParser, unixSignals,
    ]),
]

/// Layer 5: programs.
let programs: [Target] = [
  program("kithd", ["KithHost", "KithJSON", "KithPlanning", argumentParser, unixSignals]),
  program("kith", ["KithCommands"]),
]

/// The plugins that ship: a line each.
let plugins: [Plugin] = [
  // The one worker with a network.
  workerPlugin(
    "Delivery", keepsData: true, domainLibraries: ["KithJSON", "KithTime", crypto],
    serviceLibraries: ["KithTime", "KithTransfer", "RemindersContract", crypto, cryptoExtras],
    workerLibraries: ["KithTransfer", "RemindersContract"],
    testLibraries: [
      "KithTransfer", "ProviderServers", "RemindersContract", "TestCertificates", cryptoExtras,
    ]),
  workerPlugin(
    "Entitlements", area: "Billing", ownsContract: false, keepsData: true,
    domainLibraries: ["KithJSON", "KithTime", crypto],
    serviceLibraries: ["KithAppleReceipts", "KithTime", crypto, cryptoExtras],
    testLibraries: ["TestCertificates", cryptoExtras]),
  workerPlugin(
    "FallDetector", area: "Falls", keepsData: true, domainLibraries: ["KithTime"],
    serviceLibraries: ["AlertsContract", "KithTime"]),
  workerPlugin(
    "FamilyAlerts", area: "Alerts", using: ["Delivery"], keepsData: true,
    domainLibraries: ["KithTime"],
    serviceLibraries: [
      "DeliveryContract", "FallsContract", "KithTime", "RemindersContract", crypto,
    ],
    testLibraries: [
      "DeliveryContract", "FallsContract", "RemindersContract",
    ]),
  workerPlugin("FamilyLinks", area: "Access", ownsContract: false, keepsData: true),
  workerPlugin(
    "FeatureFlags", area: "Flags", keepsData: true, domainLibraries: ["KithJSON", "KithTime"],
    serviceLibraries: ["KithTime", crypto], testLibraries: [crypto]),
  // The scrubber, whose rules are for all: KithPersonalData.
  workerPlugin(
    "PersonalData", area: "PII", hasDomain: false, serviceLibraries: ["KithPersonalData"],
    testLibraries: ["KithPersonalData"]),
  workerPlugin(
    "Reminders", keepsData: true, domainLibraries: ["KithTime"], serviceLibraries: ["KithTime"]),
  workerPlugin(
    "RiskEngine", area: "Risk", serviceLibraries: ["KithPersonalData", "KithTime", crypto],
    testLibraries: ["KithPersonalData", "KithReflection", "KithTime", "KithWire", crypto]),
  workerPlugin(
    "UsageLock", area: "Lock", keepsData: true, domainLibraries: ["KithTime"],
    serviceLibraries: ["KithTime", crypto, cryptoExtras]),
]

/// The Swift modules of all contracts.
let allContracts: [Target.Dependency] =
  ["RPCContract", "TestingContract"]
  + (platform + plugins.flatMap(\.targets)).map(\.name).filter { $0.hasSuffix("Contract") }
  .map { .byName(name: $0) }

/// What `kith plugin new garden-notes --stateful --package` writes: a package of its own, whose
/// targets are built and tested here too, with the modules of the products that it names.
let example: [Target] =
  contract("GardenNotes", below: "Tests/ExamplePackage/Sources/Contracts") + [
    library("GardenNotesDomain", path: "Tests/ExamplePackage/Plugins/GardenNotes/Domain", []),
    library(
      "GardenNotesService", path: "Tests/ExamplePackage/Plugins/GardenNotes/Service",
      ["GardenNotesContract", "GardenNotesDomain", "KithAccess", "KithRPC", "KithStore"]),
    program(
      "garden-notes-worker", path: "Tests/ExamplePackage/Plugins/GardenNotes/Worker",
      ["GardenNotesDomain", "GardenNotesService", "KithTime", "KithWorker", "KithWorkerStore"]),
    tests(
      "GardenNotesTests", path: "Tests/ExamplePackage/Tests/GardenNotesTests",
      [
        "GardenNotesContract", "GardenNotesDomain", "GardenNotesService", "KithAccess", "KithRPC",
        "KithSealing", "KithStore", "KithWire",
      ]),
  ]

/// Beside the house.
let testing: [Target] =
  contract("Testing") + [
    // Certificates that a test makes for itself.
    library(
      "TestCertificates", path: "Tests/TestCertificates",
      ["KithJSON", "KithRPC", asn1, certificates, crypto]),
    // Servers in Python that stand for those of providers of messages (tools/interop/providers).
    library(
      "ProviderServers", path: "Tests/ProviderServers",
      ["KithJSON", "KithRPC", "KithTesting", "TestCertificates", crypto, cryptoExtras]),
    // What a test's process does to files, in order: which waits for the disk there are, and what
    // follows when one fails.
    .target(name: "FileCalls", path: "Tests/FileCalls"),
    library("FileCallLog", path: "Tests/FileCallLog", ["FileCalls"]),
    // The processes that a supervisor leads, simulated; for tests and the soak.
    library(
      "SupervisionSimulation", path: "Tests/SupervisionSimulation",
      ["KithManifest", "KithSupervision"]),
    library(
      "KithTesting",
      [
        "EventsContract", "HostContract", "KithClient", "KithJSON", "KithManifest", "KithRPC",
        "KithSupervision", "KithTime", "KithWire",
      ]),
    // A worker that does what it should not, for IntegrationTests and the soak.
    program(
      "misbehaving-worker", path: "Tests/MisbehavingWorker",
      [
        "KithAccess", "KithRPC", "KithStore", "KithTime", "KithWire", "KithWorker",
        "KithWorkerStore",
        "RiskContract", "TestingContract", logging,
      ]
    ),
    // A worker that tries to get out of its sandbox, and the calls that it makes for it; for
    // IntegrationTests.
    .target(name: "HostileCalls", path: "Tests/HostileCalls"),
    program(
      "hostile-worker", path: "Tests/HostileWorker",
      [
        "HostContract", "HostileCalls", "IdentityContract", "KithIdentity", "KithRPC",
        "KithTransportNng", "KithWire", "KithWorker", "RemindersContract", "WorkerContract",
      ]),
    tests("ArchitectureTests", []),
    // The listings of the manual, compiled and tested.
    tests(
      "ManualTests",
      [
        "KithAccess", "KithAccessStore", "KithJSON", "KithManifest", "KithRPC", "KithSealing",
        "KithStore", "KithTesting", "KithTime", "KithTransportInProcess", "KithWire", "KithWorker",
        "KithWorkerStore", "RemindersContract", "RiskContract", "TestingContract", logging,
      ]),
    tests("ContractTests", allContracts + ["KithWire", swiftProtobuf]),
    tests("KithWireTests", ["KithWire"]),
    tests("KithJSONTests", ["KithJSON"]),
    tests(
      "KithRPCTests",
      [
        "HealthContract", "KithRPC", "KithTransportInProcess", "KithTransportNng", "KithWire",
        "RPCContract", "TestCertificates", "TestingContract",
      ]),
    tests(
      "KithTransferTests", ["KithTesting", "KithTransfer", "ProviderServers", "TestCertificates"]),
    tests(
      "KithTransportNngTests", ["KithRPC", "KithTransportNng", "TestCertificates"]),
    tests(
      "KithTelemetryTests",
      ["KithRPC", "KithTelemetry", "KithTransportInProcess", tracing]),
    tests(
      "KithReflectionTests",
      [
        "DescriptorContract", "KithJSON", "KithReflection", "KithWire", "RiskContract",
        "TestingContract",
      ]),
    tests("KithAccessTests", ["KithAccess", "KithRPC"]),
    tests(
      "KithIdentityTests", ["IdentityContract", "KithIdentity", "KithRPC", "KithWire", crypto]),
    tests("KithPersonalDataTests", ["KithPersonalData"]),
    tests("KithSealingTests", ["FileCallLog", "KithSealing", "KithTesting", crypto]),
    tests(
      "KithStoreTests",
      [
        "FileCallLog", "KithAccess", "KithRPC", "KithSealing", "KithStore", "KithTesting",
        "KithTransportInProcess", "KithWire", "TestingContract", crypto, grdb,
      ]),
    tests(
      "KithWorkerStoreTests",
      [
        "EventsContract", "KithAccess", "KithRPC", "KithSealing", "KithStore", "KithTesting",
        "AccessContract", "KithAccessStore", "KithTransportInProcess", "KithWire",
        "KithWorkerStore",
        "TestingContract",
      ]),
    // Manifests that are right, for the tests of manifests and of plans.
    library("ManifestSamples", path: "Tests/ManifestSamples", ["KithManifest"]),
    tests("KithManifestTests", ["KithJSON", "KithManifest", "KithYAML", "ManifestSamples"]),
    tests("KithMetricsTests", ["KithMetrics"]),
    tests(
      "KithAppleReceiptsTests",
      ["KithAppleReceipts", "KithJSON", "KithTime", "TestCertificates"]),
    tests("KithTimeTests", ["KithTime"]),
    tests("KithCertificatesTests", ["KithCertificates", asn1, certificates, crypto]),
    tests(
      "KithPlanningTests",
      [
        "DescriptorContract", "KithJSON", "KithManifest", "KithPlanning", "KithReflection",
        "KithTesting", "KithWire", "ManifestSamples", "RiskContract", "risk-engine-worker",
      ]),
    tests(
      "KithSupervisionTests",
      ["KithManifest", "KithMetrics", "KithSupervision", "SupervisionSimulation"]),
    tests(
      "KithHostTests",
      [
        "CLinux", "FileCallLog", "HealthContract", "HostContract", "KithHost", "KithIdentity",
        "KithManifest", "KithPlanning", "KithRPC", "KithSupervision", "KithTesting",
        "KithTransportNng", "MetricsContract", "WorkerContract", crypto,
      ]),
    tests(
      "KithWorkerTests",
      [
        "EventsContract", "HealthContract", "IdentityContract", "KithAccess", "KithIdentity",
        "KithJSON", "KithRPC", "KithTesting", "KithTime", "KithTransportInProcess",
        "KithTransportNng", "KithWire",
        "KithWorker", "MetricsContract",
        "ReflectionContract",
        "TestCertificates", "WorkerContract", logging,
      ]),
    tests(
      "KithClientTests",
      [
        "HostContract", "KithClient", "KithIdentity", "KithManifest", "KithRPC",
        "KithTransportInProcess", "KithTransportNng",
      ]),
    tests(
      "KithCommandsTests",
      [
        "HostContract", "KithAccess", "KithCommands", "KithExport", "KithJSON", "KithManifest",
        "KithMetrics", "KithPlanning", "KithReflection", "KithRPC", "KithScaffold", "KithTerminal",
        "KithTesting", "KithVerbs", "KithWire", "MetricsContract", "TestingContract",
        argumentParser,
      ] + plugins.map(\.contract)),
    tests(
      "IntegrationTests",
      [
        "HostContract", "KithClient", "KithJSON", "KithManifest", "KithRPC", "KithSealing",
        "KithTesting",
        "KithTime", "KithTransportNng", "KithWire", "MetricsContract", "RPCContract",
        "ProviderServers", "SupervisionSimulation", "TestCertificates", "TestingContract", "kith",
        "kithd",
        "misbehaving-worker", "HostileCalls", "hostile-worker", "GardenNotesContract",
        "garden-notes-worker", grdb,
      ] + plugins.flatMap { [$0.contract, $0.program] }),
  ]

// MARK: - What other packages can use

/// What a plugin's author needs, as one product; `import` names its modules one by one.
let sdk = [
  "AccessContract", "AlertsContract", "BillingContract", "DeliveryContract", "EventsContract",
  "FallsContract", "HealthContract", "KithAccess", "KithAccessStore", "KithClient", "KithJSON",
  "KithPersonalData", "KithRPC", "KithStore", "KithTime", "KithTransportNng", "KithWire",
  "KithWorker", "KithWorkerStore", "OptionsContractC", "PIIContract", "RemindersContract",
  "RiskContract",
]

/// What the tests of a plugin need beside it.
let testKit = ["KithSealing", "KithTesting", "KithTransportInProcess"]

/// Modules as products of their own, for the packages under `tools/` only: they measure, prove and
/// train parts that are no interface for others, and a package can depend on another's products
/// alone. Their scripts set KITH_TOOLS.
let forTools = Context.environment["KITH_TOOLS"] != nil
let internals =
  !forTools
  ? []
  : [
    "AlertsContract", "DeliveryContract", "EventsContract", "FallDetectorDomain", "FallsContract",
    "FamilyAlertsService", "HostContract", "KithClient", "KithJSON", "KithManifest",
    "KithPersonalData", "KithReflection", "KithRPC", "KithSealing", "KithStore", "KithTime",
    "KithTransportNng", "KithWire", "KithWorkerStore", "LockContract", "RemindersContract",
    "RemindersDomain",
    "RemindersService", "RiskContract", "RiskEngineDomain", "RiskEngineService",
    "SupervisionSimulation", "TestingContract",
  ]
let internalPrograms: [Product] =
  forTools ? [.executable(name: "misbehaving-worker", targets: ["misbehaving-worker"])] : []

/// `swift package generate-contracts`, for packages with contracts of their own. It starts
/// tools/generate-contracts, so that no build of Kith contains the generator.
let generator = Target.plugin(
  name: "GenerateContracts",
  capability: .command(
    intent: .custom(
      verb: "generate-contracts", description: "Writes the code of the contracts in proto/."),
    permissions: [
      .writeToPackageDirectory(reason: "It writes the code of contracts into the package.")
    ]),
  path: "tools/contract-generator/Plugin")

// MARK: - The package

let allTargets =
  bindings + pure + calls + contracts + shells + programs + plugins.flatMap(\.targets) + testing
  + example
  + [generator]

let allProducts: [Product] =
  [
    .executable(name: "kith", targets: ["kith"]),
    .executable(name: "kithd", targets: ["kithd"]),
    .library(name: "KithSDK", targets: sdk),
    .library(name: "KithTesting", targets: testKit),
    .plugin(name: "GenerateContracts", targets: ["GenerateContracts"]),
  ] + plugins.map { .executable(name: $0.executable, targets: [$0.executable]) }
  + internals.map { .library(name: $0, targets: [$0]) } + internalPrograms

/// The programs that KITH_BUILD names, separated by blanks: `swift build` then builds these and
/// nothing else, all at once. Several builds with `--product` would follow one another and leave
/// processors idle. Without the variable, everything.
let chosen = Context.environment["KITH_BUILD"]?.split(separator: " ").map(String.init)

/// What programs are made of.
func targets(of programs: [String], among all: [Target]) -> [Target] {
  var found: Set<String> = []
  var next = programs
  while let name = next.popLast() {
    guard found.insert(name).inserted else { continue }
    for dependency in all.first(where: { $0.name == name })?.dependencies ?? [] {
      switch dependency {
      case .byNameItem(let name, _), .targetItem(let name, _): next.append(name)
      default: continue
      }
    }
  }
  return all.filter { found.contains($0.name) }
}

let package = Package(
  name: "kith",
  products: chosen.map { chosen in allProducts.filter { chosen.contains($0.name) } } ?? allProducts,
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
    .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: chosen.map { targets(of: $0, among: allTargets) } ?? allTargets
)

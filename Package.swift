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
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")
/// Certificates for the tests of TLS. Tests only.
let certificates = Target.Dependency.product(name: "X509", package: "swift-certificates")
let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")
/// The other implementation of protobuf, against which ours is proved. Tests only.
let swiftProtobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")

// MARK: - Shapes of targets

/// A library under `Sources`.
func library(_ name: String, path: String? = nil, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

/// The generated Swift of one proto package; `area` is its folder under `Sources/KithContracts`.
func contract(
  _ area: String, serves: Bool = true, using others: [Target.Dependency] = []
) -> Target {
  .target(
    name: "\(area)Contract",
    dependencies: ["KithContractsC", "KithWire"] + (serves ? ["KithRPC"] : []) + others,
    path: "Sources/KithContracts/\(area)",
    swiftSettings: settings)
}

/// A program: wiring only.
func program(_ name: String, path: String? = nil, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

/// The tests of one module or subject.
func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = [])
  -> Target
{
  .testTarget(
    name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

/// A plugin: its pure domain, the service that adapts it to its contract, the worker program, and their tests; with a store
/// where it keeps data.
func workerPlugin(
  _ name: String, executable: String, contract: Target.Dependency, keepsData: Bool = false,
  domainLibraries: [Target.Dependency] = [], serviceLibraries: [Target.Dependency] = [],
  testLibraries: [Target.Dependency] = []
) -> [Target] {
  let store: [Target.Dependency] = keepsData ? ["KithAccess", "KithAccessStore", "KithStore"] : []
  let storeOfWorker: [Target.Dependency] = keepsData ? ["KithWorkerStore"] : []
  return [
    library("\(name)Domain", path: "Plugins/\(name)/Domain", domainLibraries),
    library(
      "\(name)Service", path: "Plugins/\(name)/Service",
      [.byName(name: "\(name)Domain"), contract, "KithJSON", "KithRPC", "KithWire"]
        + store + serviceLibraries),
    program(
      executable, path: "Plugins/\(name)/Worker",
      [.byName(name: "\(name)Service"), "KithTime", "KithWorker", logging] + storeOfWorker),
    tests(
      "\(name)Tests",
      [
        .byName(name: "\(name)Domain"), .byName(name: "\(name)Service"), contract,
        "KithJSON", "KithRPC", "KithTransportInProcess",
      ] + store + (keepsData ? ["KithSealing", "KithTesting", "KithWire"] : []) + domainLibraries
        + testLibraries),
  ]
}

// MARK: - The layers; a module imports only from layers below (KithHost.docc/Architecture.md)

/// Floor 0: C. Each library has one Swift door: CNng KithTransportNng, CProtobufC KithWire, CLinux KithHost
/// and KithCommands, which starts it.
let doors: [Target] = [
  .systemLibrary(name: "CNng", providers: [.apt(["libnng-dev"])]),
  .systemLibrary(name: "CProtobufC", providers: [.apt(["libprotobuf-c-dev"])]),
  .target(name: "CLinux"),
  .target(name: "KithContractsC", dependencies: ["CProtobufC"]),
]

/// Floor 1: values and decisions; no process, socket or clock.
let pure: [Target] = [
  library("KithWire", ["CProtobufC"]),
  library("KithJSON", []),
  library("KithManifest", ["KithJSON", yams]),
  library("KithCertificates", [asn1, crypto]),
  library("KithMetrics", []),
  library("KithTime", []),
  library("KithPersonalData", [crypto]),
  library("KithSupervision", ["KithManifest", "KithMetrics"]),
]

/// Floor 2: calls, and the transports that carry them.
let calls: [Target] = [
  contract("RPC", serves: false),
  library("KithRPC", ["KithWire", collections]),
  library("KithTransportNng", ["KithCertificates", "KithRPC", "CNng", collections]),
  library("KithTransportInProcess", ["KithRPC"]),
  library("KithTelemetry", ["KithPersonalData", "KithRPC", metrics, tracing]),
  library("KithAccess", ["KithRPC"]),
]

/// Floor 3: words: the generated contracts, and what reads contracts at run time.
let words: [Target] = [
  contract("Access"),
  contract("Descriptor", serves: false),
  contract("Events"),
  contract("Worker", using: ["EventsContract"]),
  contract("Host", using: ["MetricsContract"]),
  contract("Health"),
  contract("Identity", serves: false),
  contract("Metrics"),
  contract("PII"),
  contract("Reflection"),
  contract("Reminders"),
  contract("Risk"),
  contract("Testing"),
  library("KithReflection", ["DescriptorContract", "KithJSON", "KithWire"]),
]

/// Floor 4: shells that carry decisions out.
let shells: [Target] = [
  library("KithIdentity", ["IdentityContract", "KithRPC", "KithWire", crypto]),
  library("KithSealing", [crypto, cryptoExtras]),
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
      "EventsContract", "HealthContract", "KithAccess", "KithClient", "KithIdentity", "KithJSON",
      "KithMetrics", "KithPersonalData",
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
  library(
    "KithCommands",
    [
      "EventsContract", "HostContract", "KithAccess", "KithClient", "KithJSON", "KithManifest",
      "KithMetrics", "KithPlanning", "KithReflection", "KithRPC", "KithSealing", "KithStore",
      "KithTime",
      "KithWire", "MetricsContract", "ReflectionContract", "CLinux", argumentParser, unixSignals,
    ]),
]

/// Floor 5: programs.
let programs: [Target] = [
  program("kithd", ["KithHost", "KithJSON", "KithPlanning", argumentParser, unixSignals]),
  program("kith", ["KithCommands"]),
]

/// The workers that ship.
let plugins: [Target] =
  workerPlugin(
    "RiskEngine", executable: "risk-engine-worker", contract: "RiskContract",
    serviceLibraries: ["KithPersonalData", "KithTime", crypto],
    testLibraries: ["KithPersonalData", "KithReflection", "KithTime", "KithWire", crypto])
  // The scrubber, whose rules are for all: KithPersonalData.
  + [
    library(
      "PersonalDataService", path: "Plugins/PersonalData/Service",
      ["KithPersonalData", "KithRPC", "KithWire", "PIIContract"]),
    program(
      "personal-data-worker", path: "Plugins/PersonalData/Worker",
      ["KithWorker", "PersonalDataService"]),
    tests(
      "PersonalDataTests",
      [
        "KithPersonalData", "KithRPC", "KithTransportInProcess", "PIIContract",
        "PersonalDataService",
      ]),
  ]
  + workerPlugin(
    "FamilyLinks", executable: "family-links-worker", contract: "AccessContract", keepsData: true)
  + workerPlugin(
    "Reminders", executable: "reminders-worker", contract: "RemindersContract", keepsData: true,
    domainLibraries: ["KithTime"], serviceLibraries: ["KithTime"])

/// Beside the house.
let testing: [Target] = [
  // Certificates that a test makes for itself.
  library(
    "TestCertificates", path: "Tests/TestCertificates", ["KithRPC", asn1, certificates, crypto]),
  // What a test's process does to files, in order: which waits for the disk there are, and what follows when one fails.
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
      "KithAccess", "KithRPC", "KithStore", "KithTime", "KithWire", "KithWorker", "KithWorkerStore",
      "RiskContract", "TestingContract", logging,
    ]
  ),
  // A worker that tries to get out of its sandbox, and the calls that it makes for it; for IntegrationTests.
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
  tests(
    "ContractTests",
    [
      "AccessContract", "DescriptorContract", "EventsContract", "HealthContract", "HostContract",
      "IdentityContract", "KithWire", "MetricsContract", "PIIContract", "ReflectionContract",
      "RemindersContract",
      "RiskContract", "RPCContract", "TestingContract", "WorkerContract", swiftProtobuf,
    ]),
  tests("KithWireTests", ["KithWire"]),
  tests("KithJSONTests", ["KithJSON"]),
  tests(
    "KithRPCTests",
    [
      "HealthContract", "KithRPC", "KithTransportInProcess", "KithTransportNng", "KithWire",
      "RPCContract", "TestCertificates", "TestingContract",
    ]),
  tests(
    "KithTransportNngTests", ["KithRPC", "KithTransportNng", "TestCertificates"]),
  tests(
    "KithTelemetryTests", ["KithRPC", "KithTelemetry", "KithTransportInProcess", metrics, tracing]),
  tests(
    "KithReflectionTests",
    [
      "DescriptorContract", "KithJSON", "KithReflection", "KithWire", "RiskContract",
      "TestingContract",
    ]),
  tests("KithAccessTests", ["KithAccess", "KithRPC"]),
  tests("KithIdentityTests", ["IdentityContract", "KithIdentity", "KithRPC", "KithWire", crypto]),
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
      "AccessContract", "KithAccessStore", "KithTransportInProcess", "KithWire", "KithWorkerStore",
      "TestingContract",
    ]),
  tests("KithManifestTests", ["KithJSON", "KithManifest", "KithPlanning"]),
  tests("KithMetricsTests", ["KithMetrics"]),
  tests("KithTimeTests", ["KithTime"]),
  tests("KithCertificatesTests", ["KithCertificates", asn1, certificates, crypto]),
  tests(
    "KithPlanningTests",
    [
      "DescriptorContract", "KithManifest", "KithPlanning", "KithReflection", "KithTesting",
      "KithWire", "RiskContract", "risk-engine-worker",
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
      "HostContract", "KithCommands", "KithJSON", "KithManifest", "KithMetrics", "KithPlanning",
      "KithReflection", "KithAccess", "KithRPC", "KithWire", "MetricsContract", "RemindersContract",
      "RiskContract",
      "TestingContract", argumentParser,
    ]),
  tests(
    "IntegrationTests",
    [
      "HostContract", "KithClient", "KithJSON", "KithManifest", "KithRPC", "KithSealing",
      "KithTesting",
      "KithTime", "KithTransportNng", "KithWire", "MetricsContract", "RPCContract", "RiskContract",
      "SupervisionSimulation", "TestCertificates",
      "PIIContract", "TestingContract", "kith", "kithd", "misbehaving-worker",
      "AccessContract", "family-links-worker", "HostileCalls", "hostile-worker",
      "personal-data-worker", "RemindersContract",
      "reminders-worker", "risk-engine-worker", grdb,
    ]),
]

let package = Package(
  name: "kith",
  products: [
    .executable(name: "kith", targets: ["kith"]),
    .executable(name: "kithd", targets: ["kithd"]),
    .executable(name: "personal-data-worker", targets: ["personal-data-worker"]),
    .executable(name: "family-links-worker", targets: ["family-links-worker"]),
    .executable(name: "reminders-worker", targets: ["reminders-worker"]),
    .executable(name: "risk-engine-worker", targets: ["risk-engine-worker"]),
    // Not to be shipped: what tools/soak runs.
    .executable(name: "misbehaving-worker", targets: ["misbehaving-worker"]),
    .library(name: "DescriptorContract", targets: ["DescriptorContract"]),
    .library(name: "EventsContract", targets: ["EventsContract"]),
    .library(name: "HostContract", targets: ["HostContract"]),
    .library(name: "KithClient", targets: ["KithClient"]),
    .library(name: "KithJSON", targets: ["KithJSON"]),
    .library(name: "KithManifest", targets: ["KithManifest"]),
    .library(name: "KithPersonalData", targets: ["KithPersonalData"]),
    .library(name: "KithReflection", targets: ["KithReflection"]),
    .library(name: "KithRPC", targets: ["KithRPC"]),
    .library(name: "KithSealing", targets: ["KithSealing"]),
    .library(name: "KithStore", targets: ["KithStore"]),
    .library(name: "KithAccessStore", targets: ["KithAccessStore"]),
    .library(name: "KithTesting", targets: ["KithTesting"]),
    .library(name: "KithWorker", targets: ["KithWorker"]),
    .library(name: "KithWorkerStore", targets: ["KithWorkerStore"]),
    .library(name: "SupervisionSimulation", targets: ["SupervisionSimulation"]),
    .library(name: "KithTime", targets: ["KithTime"]),
    .library(name: "RemindersContract", targets: ["RemindersContract"]),
    .library(name: "RemindersDomain", targets: ["RemindersDomain"]),
    .library(name: "RemindersService", targets: ["RemindersService"]),
    .library(name: "RiskContract", targets: ["RiskContract"]),
    .library(name: "RiskEngineDomain", targets: ["RiskEngineDomain"]),
    .library(name: "RiskEngineService", targets: ["RiskEngineService"]),
    .library(name: "KithTransportInProcess", targets: ["KithTransportInProcess"]),
    .library(name: "KithTransportNng", targets: ["KithTransportNng"]),
    .library(name: "KithWire", targets: ["KithWire"]),
    .library(name: "TestingContract", targets: ["TestingContract"]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
    .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: doors + pure + calls + words + shells + programs + plugins + testing
)

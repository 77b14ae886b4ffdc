// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

/// A library of Kith.
func kith(_ name: String) -> Target.Dependency { .product(name: name, package: "kith") }

let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser")

// What takes longer than a test may. `tools/soak` and `tools/fuzz` build and run it.
let package = Package(
  name: "kith-proofs",
  products: [
    .executable(name: "kith-fuzz", targets: ["kith-fuzz"]),
    .executable(name: "kith-soak", targets: ["kith-soak"]),
    // Preloaded into a worker that is to die.
    .library(name: "KillAtStep", type: .dynamic, targets: ["KillAtStep"]),
  ],
  dependencies: [
    // With KITH_TOOLS=1 in the environment, as the scripts in tools/ set it: see `internals` there.
    .package(name: "kith", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .executableTarget(
      name: "kith-soak",
      dependencies: [
        argumentParser, kith("EventsContract"), kith("HostContract"), kith("KithClient"),
        kith("KithManifest"),
        kith("KithRPC"), kith("KithSealing"), kith("KithTesting"), kith("KithTime"),
        kith("RemindersContract"), kith("RiskContract"),
        kith("SupervisionSimulation"),
        kith("KithWire"), kith("TestingContract"),
      ],
      swiftSettings: settings),
    .target(name: "KillAtStep"),
    // libFuzzer brings `main`: it links only with `--sanitize fuzzer`.
    .executableTarget(
      name: "kith-fuzz",
      dependencies: [
        kith("KithJSON"), kith("KithManifest"), kith("KithPersonalData"), kith("KithReflection"),
        kith("KithRPC"), kith("KithWire"), kith("RiskEngineDomain"), kith("RiskEngineService"),
        kith("TestingContract"),
      ],
      swiftSettings: settings),
  ]
)

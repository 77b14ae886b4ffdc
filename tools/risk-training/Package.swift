// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let domain = Target.Dependency.product(name: "RiskEngineDomain", package: "kith")

let package = Package(
  name: "risk-training",
  dependencies: [
    // With KITH_TOOLS=1 in the environment, as the scripts in tools/ set it: see `internals` there.
    .package(name: "kith", path: "../.."),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
  ],
  targets: [
    .target(
      name: "RiskTraining",
      dependencies: [domain, .product(name: "Crypto", package: "swift-crypto")],
      swiftSettings: settings),
    .executableTarget(
      name: "train-risk", dependencies: ["RiskTraining", domain], swiftSettings: settings),
    .executableTarget(
      name: "eval-risk", dependencies: ["RiskTraining", domain], swiftSettings: settings),
    .executableTarget(
      name: "eval-domains", dependencies: ["RiskTraining", domain], swiftSettings: settings),
  ]
)

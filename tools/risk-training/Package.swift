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
  dependencies: [.package(name: "kith", path: "../..")],
  targets: [
    .target(name: "RiskTraining", dependencies: [domain], swiftSettings: settings),
    .executableTarget(
      name: "train-risk", dependencies: ["RiskTraining", domain], swiftSettings: settings),
    .executableTarget(
      name: "eval-risk", dependencies: ["RiskTraining", domain], swiftSettings: settings),
  ]
)

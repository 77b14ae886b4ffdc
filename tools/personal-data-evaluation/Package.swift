// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// A library of Kith.
func kith(_ name: String) -> Target.Dependency { .product(name: name, package: "kith") }

// The program that `tools/eval-pii` compares with Presidio.
let package = Package(
  name: "personal-data-evaluation",
  // With KITH_TOOLS=1 in the environment, as the scripts in tools/ set it: see `internals` there.
  dependencies: [.package(name: "kith", path: "../..")],
  targets: [
    .executableTarget(
      name: "scan-texts", dependencies: [kith("KithPersonalData")],
      swiftSettings: settings)
  ]
)

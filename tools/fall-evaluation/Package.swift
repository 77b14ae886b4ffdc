// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

// The program of `tools/eval-falls`.
let package = Package(
  name: "fall-evaluation",
  // With KITH_TOOLS=1 in the environment, as the scripts in tools/ set it: see `internals` there.
  dependencies: [.package(name: "kith", path: "../..")],
  targets: [
    .executableTarget(
      name: "evaluate-falls",
      dependencies: [.product(name: "FallDetectorDomain", package: "kith")],
      swiftSettings: settings)
  ]
)

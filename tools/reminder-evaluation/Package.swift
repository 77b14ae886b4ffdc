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

// The programs that `tools/eval-recurrence` and `tools/eval-time` compare with others' libraries.
let package = Package(
  name: "reminder-evaluation",
  // With KITH_TOOLS=1 in the environment, as the scripts in tools/ set it: see `internals` there.
  dependencies: [.package(name: "kith", path: "../..")],
  targets: [
    .executableTarget(
      name: "expand-schedules", dependencies: [kith("KithTime"), kith("RemindersDomain")],
      swiftSettings: settings),
    .executableTarget(
      name: "read-times", dependencies: [kith("KithTime"), kith("RemindersDomain")],
      swiftSettings: settings),
  ]
)

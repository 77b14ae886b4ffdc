// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let pluginLibrary = Target.Dependency.product(
  name: "SwiftProtobufPluginLibrary", package: "swift-protobuf")

// A package of its own, so that Kith itself does not depend on the tools that write its contracts.
let package = Package(
  name: "contract-generator",
  dependencies: [
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0")
  ],
  targets: [
    // The names that the C and the Swift side must agree on.
    .target(name: "ContractNames", swiftSettings: settings),
    // Turns the contracts into what protoc-c understands, and writes the C that is not protoc-c's.
    .executableTarget(
      name: "prepare-c", dependencies: ["ContractNames", protobuf], swiftSettings: settings),
    // The protoc plugin that writes the Swift.
    .executableTarget(
      name: "protoc-gen-kith", dependencies: ["ContractNames", protobuf, pluginLibrary],
      swiftSettings: settings),
  ]
)

// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let sdk = Target.Dependency.product(name: "KithSDK", package: "kith")
let testing = Target.Dependency.product(name: "KithTesting", package: "kith")

let package = Package(
  name: "garden-notes",
  products: [
    .executable(name: "garden-notes-worker", targets: ["garden-notes-worker"])
  ],
  dependencies: [
    .package(name: "kith", path: "../..")
  ],
  targets: [
    // The contract, generated from proto/ by `swift package generate-contracts`.
    .target(
      name: "GardenNotesContractC", dependencies: [sdk], path: "Sources/ContractsC/GardenNotes"),
    .target(
      name: "GardenNotesContract", dependencies: ["GardenNotesContractC", sdk],
      path: "Sources/Contracts/GardenNotes", swiftSettings: settings),
    .target(
      name: "GardenNotesDomain", path: "Plugins/GardenNotes/Domain",
      swiftSettings: settings),
    .target(
      name: "GardenNotesService",
      dependencies: ["GardenNotesContract", "GardenNotesDomain", sdk],
      path: "Plugins/GardenNotes/Service", swiftSettings: settings),
    .executableTarget(
      name: "garden-notes-worker",
      dependencies: ["GardenNotesDomain", "GardenNotesService", sdk],
      path: "Plugins/GardenNotes/Worker", swiftSettings: settings),
    .testTarget(
      name: "GardenNotesTests",
      dependencies: [
        "GardenNotesContract", "GardenNotesDomain", "GardenNotesService", sdk, testing,
      ], swiftSettings: settings),
  ]
)

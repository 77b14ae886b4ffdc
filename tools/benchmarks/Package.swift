// swift-tools-version: 6.2

import PackageDescription

// A package of its own, so that gRPC is no dependency of the product. `tools/bench` builds and runs
// it.
let package = Package(
  name: "kith-benchmarks",
  products: [
    .executable(name: "kith-bench", targets: ["kith-bench"]),
    // Of its own, so that it is built without gRPC.
    .executable(name: "store-bench", targets: ["store-bench"]),
    .executable(name: "reminder-bench", targets: ["reminder-bench"]),
    .executable(name: "fall-bench", targets: ["fall-bench"]),
    .executable(name: "alert-bench", targets: ["alert-bench"]),
    .executable(name: "lock-bench", targets: ["lock-bench"]),
    .executable(name: "kit-bench", targets: ["kit-bench"]),
    .executable(name: "engine-bench", targets: ["engine-bench"]),
    // Of its own, since it is preloaded into processes.
    .library(name: "AllocationCounter", type: .dynamic, targets: ["AllocationCounter"]),
  ],
  dependencies: [
    // With KITH_TOOLS=1 in the environment, as the scripts in tools/ set it: see `internals` there.
    .package(name: "kith", path: "../.."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
    .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
    .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.2"),
    .package(url: "https://github.com/grpc/grpc-swift-protobuf", from: "2.4.1"),
  ],
  targets: [
    .target(name: "AllocationCounter"),
    .target(name: "CookedNng", linkerSettings: [.linkedLibrary("nng")]),
    // The peer, in a module of its own: its message types have the names of Kith's.
    .target(
      name: "GRPCPeer",
      dependencies: [
        .product(name: "GRPCCore", package: "grpc-swift-2"),
        .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
        .product(name: "GRPCProtobuf", package: "grpc-swift-protobuf"),
        .product(name: "SwiftProtobuf", package: "swift-protobuf"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    // What every benchmark needs: load, tables, floors, the machine.
    .target(name: "BenchmarkKit", swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(
      name: "store-bench",
      dependencies: [
        "BenchmarkKit",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "EventsContract", package: "kith"),
        .product(name: "KithRPC", package: "kith"),
        .product(name: "KithSealing", package: "kith"),
        .product(name: "KithStore", package: "kith"),
        .product(name: "KithTransportNng", package: "kith"),
        .product(name: "KithWorkerStore", package: "kith"),
        .product(name: "TestingContract", package: "kith"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(
      name: "reminder-bench",
      dependencies: [
        "BenchmarkKit",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "HostContract", package: "kith"),
        .product(name: "KithClient", package: "kith"),
        .product(name: "KithManifest", package: "kith"),
        .product(name: "KithRPC", package: "kith"),
        .product(name: "KithSealing", package: "kith"),
        .product(name: "KithStore", package: "kith"),
        .product(name: "KithTime", package: "kith"),
        .product(name: "RemindersContract", package: "kith"),
        .product(name: "RemindersService", package: "kith"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(
      name: "fall-bench",
      dependencies: [
        "BenchmarkKit",
        .product(name: "AlertsContract", package: "kith"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "EventsContract", package: "kith"),
        .product(name: "FallDetectorDomain", package: "kith"),
        .product(name: "FallsContract", package: "kith"),
        .product(name: "HostContract", package: "kith"),
        .product(name: "KithClient", package: "kith"),
        .product(name: "KithManifest", package: "kith"),
        .product(name: "KithRPC", package: "kith"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(
      name: "lock-bench",
      dependencies: [
        "BenchmarkKit",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "HostContract", package: "kith"),
        .product(name: "KithClient", package: "kith"),
        .product(name: "KithManifest", package: "kith"),
        .product(name: "KithRPC", package: "kith"),
        .product(name: "LockContract", package: "kith"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(
      name: "alert-bench",
      dependencies: [
        "BenchmarkKit",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "AlertsContract", package: "kith"),
        .product(name: "DeliveryContract", package: "kith"),
        .product(name: "FamilyAlertsService", package: "kith"),
        .product(name: "KithRPC", package: "kith"),
        .product(name: "KithSealing", package: "kith"),
        .product(name: "KithStore", package: "kith"),
        .product(name: "KithTesting", package: "kith"),
        .product(name: "KithTime", package: "kith"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(
      name: "engine-bench",
      dependencies: [
        "BenchmarkKit",
        .product(name: "KithRPC", package: "kith"),
        .product(name: "KithTesting", package: "kith"),
        .product(name: "RiskContract", package: "kith"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(
      name: "kit-bench",
      dependencies: [
        "BenchmarkKit",
        .product(name: "KithJSON", package: "kith"),
        .product(name: "KithManifest", package: "kith"),
        .product(name: "KithRPC", package: "kith"),
        .product(name: "KithTesting", package: "kith"),
        .product(name: "KithTime", package: "kith"),
        .product(name: "TestingContract", package: "kith"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(
      name: "kith-bench",
      dependencies: [
        "BenchmarkKit",
        "CookedNng",
        "GRPCPeer",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "HostContract", package: "kith"),
        .product(name: "KithClient", package: "kith"),
        .product(name: "KithManifest", package: "kith"),
        .product(name: "KithRPC", package: "kith"),
        .product(name: "KithTransportNng", package: "kith"),
        .product(name: "KithWire", package: "kith"),
        .product(name: "RiskContract", package: "kith"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)]),
  ]
)

/// A package of its own for a plugin, outside a checkout of Kith.
package struct PluginPackage: Equatable {
  /// Where Kith is: the path of a checkout, or an address that git knows.
  package let kith: String

  /// A package that depends on Kith at a folder or an address.
  package init(kith: String) {
    self.kith = kith
  }

  /// Whether Kith is found by its path.
  package var isPath: Bool { !kith.contains(":") }

  /// Kith's name as SwiftPM tells packages apart: the last part of its place.
  private var identity: String {
    if isPath { return "kith" }
    let last = kith.split(separator: "/").last.map(String.init) ?? kith
    return last.hasSuffix(".git") ? String(last.dropLast(4)) : last
  }

  /// The files beside those of the plugin.
  package func files(_ name: PluginName) -> [PluginTexts.File] {
    [
      PluginTexts.File("Package.swift", manifest(name)),
      PluginTexts.File(".gitignore", ".build/\n.swiftpm/\nPackage.resolved\n/Plugins/*/bin/\n"),
    ]
  }

  private func manifest(_ name: PluginName) -> String {
    let place =
      isPath
      ? ".package(name: \"kith\", path: \"\(kith)\")"
      : ".package(url: \"\(kith)\", branch: \"main\")"
    let area = name.contractArea
    let contract = name.contract
    // Written in parts because the test of the imports would take it for this file's own.
    let imports = "import" + " PackageDescription"
    return """
      // swift-tools-version: 6.2

      \(imports)

      let settings: [SwiftSetting] = [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      ]

      let sdk = Target.Dependency.product(name: "KithSDK", package: "\(identity)")
      let testing = Target.Dependency.product(name: "KithTesting", package: "\(identity)")

      let package = Package(
        name: "\(name.kebab)",
        products: [
          .executable(name: "\(name.executable)", targets: ["\(name.executable)"])
        ],
        dependencies: [
          \(place)
        ],
        targets: [
          // The contract, generated from proto/ by `swift package generate-contracts`.
          .target(
            name: "\(contract)C", dependencies: [sdk], path: "Sources/ContractsC/\(area)"),
          .target(
            name: "\(contract)", dependencies: ["\(contract)C", sdk],
            path: "Sources/Contracts/\(area)", swiftSettings: settings),
          .target(
            name: "\(name.type)Domain", path: "Plugins/\(name.type)/Domain",
            swiftSettings: settings),
          .target(
            name: "\(name.type)Service",
            dependencies: ["\(contract)", "\(name.type)Domain", sdk],
            path: "Plugins/\(name.type)/Service", swiftSettings: settings),
          .executableTarget(
            name: "\(name.executable)",
            dependencies: ["\(name.type)Domain", "\(name.type)Service", sdk],
            path: "Plugins/\(name.type)/Worker", swiftSettings: settings),
          .testTarget(
            name: "\(name.type)Tests",
            dependencies: [
              "\(contract)", "\(name.type)Domain", "\(name.type)Service", sdk, testing,
            ], swiftSettings: settings),
        ]
      )

      """
  }
}

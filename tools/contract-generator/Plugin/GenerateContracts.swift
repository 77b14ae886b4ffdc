import Foundation
import PackagePlugin

/// `swift package generate-contracts`: writes the code of a package's own contracts.
///
/// It runs tools/generate-contracts of the Kith that the package depends on, which builds the
/// generator in a package of its own: an ordinary build of Kith, or of a package that depends on
/// it, builds no part of it.
@main
struct GenerateContracts: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    guard let kith = Self.find(context.package) else {
      throw PluginFailure(description: "this package does not depend on the package kith")
    }
    let process = Process()
    process.executableURL = kith.directoryURL.appending(path: "tools/generate-contracts")
    let isKith = kith.directoryURL == context.package.directoryURL
    process.arguments =
      (isKith ? [] : ["--into", context.package.directoryURL.path]) + arguments
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw PluginFailure(
        description: "tools/generate-contracts ended with exit code \(process.terminationStatus)")
    }
  }

  /// Kith among a package and those that it depends on.
  private static func find(_ package: Package) -> Package? {
    if package.displayName == "kith" { return package }
    for dependency in package.dependencies {
      if let found = find(dependency.package) { return found }
    }
    return nil
  }
}

/// Why nothing was generated.
struct PluginFailure: Error, CustomStringConvertible {
  let description: String
}

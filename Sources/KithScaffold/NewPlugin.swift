import Glibc
import KithTerminal

/// Writes a new plugin into a checkout: all of it, or nothing.
///
/// The files are first written to a folder of their own under `.build`, which is on the same file
/// system, then moved into place, the contract first, because its code must be generated before
/// anything else can be built. Whatever fails on the way, what has been moved is removed again.
package struct NewPlugin {
  /// Where it is written.
  package let checkout: Checkout
  /// What is written.
  package let template: PluginTemplate

  /// A new plugin.
  package init(checkout: Checkout, template: PluginTemplate) {
    self.checkout = checkout
    self.template = template
  }

  private var name: PluginName { template.name }
  /// Where the contract's code is generated to.
  private var generated: [String] {
    ["Sources/KithContracts/\(name.contractArea)", "Sources/KithContractsC/\(name.contractArea)"]
  }
  private var contractFolder: String { "proto/kith/\(name.snake)" }
  private var pluginFolder: String { "Plugins/\(name.type)" }
  private var testsFolder: String { "Tests/\(name.type)Tests" }
  private var draft: String { ".build/new-plugin-\(getpid())" }

  /// Writes it. `report` is told of each step.
  /// - Throws: ``CommandFailure``; the checkout is as it was.
  package func write(report: (String) throws -> Void) throws {
    for path in [contractFolder, pluginFolder, testsFolder] + generated where checkout.has(path) {
      throw CommandFailure(
        .cannotCreate, "\(checkout.root)/\(path) exists; choose another name, or remove it")
    }
    let package = try PackageManifest(text: checkout.text(of: "Package.swift"))
      .adding(name, keepsData: template.keepsData)

    defer { checkout.remove(draft) }
    for file in [template.contract] + template.plugin + template.tests {
      try checkout.write(file.text, to: "\(draft)/\(file.path)")
    }
    try checkout.write(package, to: "\(draft)/Package.swift")

    do {
      try report("Writing \(contractFolder)/")
      try checkout.move("\(draft)/\(contractFolder)", to: contractFolder)
      try report("Generating the code of the contract; the first time its generator is built")
      try generateContracts()
      try Task.checkCancellation()
      try report("Writing \(pluginFolder)/ and \(testsFolder)/")
      try checkout.move("\(draft)/\(pluginFolder)", to: pluginFolder)
      try checkout.move("\(draft)/\(testsFolder)", to: testsFolder)
      // Last, and in one step: from here on the plugin is a part of the house.
      try report("Adding a line to Package.swift")
      try checkout.move("\(draft)/Package.swift", to: "Package.swift")
    } catch {
      try? report("Taking back what was written")
      removeAgain()
      throw error
    }
  }

  private func removeAgain() {
    for path in [contractFolder, pluginFolder, testsFolder] { checkout.remove(path) }
    if generated.contains(where: checkout.has) {
      // The generator got through: it takes away what no contract asks for any more.
      try? generateContracts()
      for path in generated { checkout.remove(path) }
    }
  }

  private func generateContracts() throws(CommandFailure) {
    try ToolRun.generateContracts(in: checkout, [])
  }
}

import Glibc
import KithTerminal

/// Writes a new plugin as a package of its own: all of it, or nothing.
///
/// It is written to a folder beside its place, where the code of its contract is generated too, and
/// moved there at the end.
package struct NewPackage {
  /// The folder that the package's folder is made in.
  package let folder: Checkout
  /// What is written into it.
  package let template: PluginTemplate
  /// The package.
  package let package: PluginPackage

  /// A new package.
  package init(folder: Checkout, template: PluginTemplate, package: PluginPackage) {
    self.folder = folder
    self.template = template
    self.package = package
  }

  private var name: PluginName { template.name }
  private var draft: String { ".\(name.kebab)-\(getpid())" }

  /// Writes it. `report` is told of each step.
  /// - Throws: ``CommandFailure``; the folder is as it was.
  package func write(report: (String) throws -> Void) throws {
    guard !folder.has(name.kebab) else {
      throw CommandFailure(
        .cannotCreate,
        "\(folder.root)/\(name.kebab) exists; choose another name or --directory, or remove it")
    }
    defer { folder.remove(draft) }
    try report("Writing the package")
    let files = package.files(name)
    for file in files + [template.contract] + template.plugin + template.tests {
      try folder.write(file.text, to: "\(draft)/\(file.path)")
    }
    let place = "\(folder.root)/\(draft)"
    if package.isPath {
      try report("Generating the code of the contract; the first time its generator is built")
      try ToolRun.generateContracts(in: Checkout(root: package.kith), ["--into", place])
    } else {
      // SwiftPM wants the folders of all targets before it runs anything; the generator takes the
      // files away.
      let area = name.contractArea
      for path in [
        "Contracts/\(area)/placeholder.swift", "ContractsC/\(area)/placeholder.c",
        "ContractsC/\(area)/include/placeholder.h",
      ] {
        try folder.write("// Generated.\n", to: "\(draft)/Sources/\(path)")
      }
      try report("Fetching Kith and generating the code of the contract")
      try ToolRun.generateContracts(
        by: "/usr/bin/env",
        [
          "swift", "package", "--package-path", place, "--allow-writing-to-package-directory",
          "generate-contracts",
        ])
    }
    try Task.checkCancellation()
    try folder.move(draft, to: name.kebab)
  }
}

import Testing

/// Which libraries a module imports, and what plugins and pure modules see of the others.
/// `LayerTests` has the layers.
@Suite struct ImportTests {
  @Test func librariesAreImportedWhereTheTableSaysSo() throws {
    let graph = try ModuleGraph()
    for (name, module) in graph.modules where module.folder.hasPrefix("Sources/") {
      try check(folder: module.folder, module: name) { library in
        if library.hasSuffix("ContractC") { return name.hasSuffix("Contract") }
        return graph.modules[library] != nil && ExternalModules.importers[library] == nil
          || ExternalModules.importers[library]?.contains(name) == true
      }
    }
  }

  @Test func pureModulesImportOnlyEachOther() throws {
    let graph = try ModuleGraph()
    let bindings = Set(ExternalModules.importers.keys)
    for name in ExternalModules.pure {
      let module = try #require(graph.modules[name], "There is no module \(name).")
      let others = module.imports.subtracting(ExternalModules.pure).subtracting(bindings)
      #expect(others.isEmpty, "\(name) is pure and imports \(others.sorted()).")
    }
  }

  @Test func whereCIsNoSwiftBelongs() {
    for folder in ["CLinux", "CNng", "CProtobufC", "KithContractsC"] {
      #expect(
        SourceTree.files(below: "Sources/\(folder)", suffix: ".swift").isEmpty,
        "Sources/\(folder) is C: no Swift belongs there.")
    }
  }

  @Test func everyPluginKeepsToItsOwnCodeContractsAndTheSDK() throws {
    for plugin in try SourceTree.names(in: "Plugins") where plugin != "products" {
      let parts = ["Domain", "Service", "Worker"]
      for part in try SourceTree.names(in: "Plugins/\(plugin)").filter(parts.contains) {
        try check(folder: "Plugins/\(plugin)/\(part)", module: "\(plugin)\(part)") {
          ExternalModules.allowed(plugin: plugin, part: part, import: $0)
        }
      }
    }
  }

  /// The library below a store is the store's own affair: no plugin imports it, and no public
  /// declaration has a type of it.
  @Test func theLibraryOfStoresStaysInKithStore() throws {
    for path in SourceTree.files(below: "Plugins", suffix: ".swift")
      + SourceTree.files(below: "Sources", suffix: ".swift")
    {
      let imports = try SourceTree.text(of: path).split(separator: "\n")
        .filter { $0.hasSuffix("import GRDB") }
      if path.hasPrefix("Sources/KithStore/") {
        #expect(
          imports.allSatisfy { $0 == "import GRDB" },
          "\(path) imports GRDB for others: no public declaration of KithStore may have a type of it."
        )
      } else {
        #expect(
          imports.isEmpty,
          "\(path) imports GRDB: use the tables, records and statements of KithStore.")
      }
    }
  }

  @Test func theHostKnowsNoPlugin() throws {
    let plugins = try SourceTree.names(in: "Plugins").filter { $0 != "products" }
    for path in SourceTree.files(below: "Sources/KithHost", suffix: ".swift")
      + SourceTree.files(below: "Sources/kithd", suffix: ".swift")
    {
      // Whole words: the library of a plugin's rules may be for all, the host among them.
      let words = Set(
        try SourceTree.text(of: path).split { !($0.isLetter || $0.isNumber || $0 == "_") }
          .map(String.init))
      for plugin in plugins {
        #expect(
          words.isDisjoint(with: ["", "Domain", "Service", "Worker"].map { plugin + $0 }),
          "\(path) names \(plugin): the host knows manifests, never plugins.")
      }
    }
  }

  /// Checks each import of each Swift file below a folder.
  private func check(folder: String, module: String, allowed: (String) -> Bool) throws {
    let files = SourceTree.files(below: folder, suffix: ".swift")
    for path in files {
      for (name, line) in try SourceTree.imports(of: path)
      where !ExternalModules.everywhere.contains(name) && !allowed(name) {
        Issue.record(
          "\(path):\(line): \(module) may not import \(name); see ExternalModules.swift."
        )
      }
    }
  }
}

/// The modules of this package and what each imports, read from the sources.
struct ModuleGraph {
  /// A module.
  struct Module: Equatable {
    /// Where its sources are: `Sources/KithRPC`.
    var folder: String
    /// The modules of this package that it imports.
    var imports: Set<String>
  }

  /// The modules by name. A plugin's parts are `RiskEngineDomain`, `RiskEngineService` and
  /// `RiskEngineWorker`.
  let modules: [String: Module]

  /// The longest way down from each module: 0 for one that imports none of the others.
  let layers: [String: Int]

  /// Reads the tree.
  /// - Throws: what cannot be read, and ``Cycle``.
  init() throws {
    var folders: [String: String] = [:]
    for name in try SourceTree.names(in: "Sources") where name != "KithContracts" {
      folders[name] = "Sources/\(name)"
    }
    for area in try SourceTree.names(in: "Sources/KithContracts") {
      folders["\(area)Contract"] = "Sources/KithContracts/\(area)"
    }
    // The C that protoc-c wrote: a module for all areas, or one for each.
    let areas = try SourceTree.names(in: "Sources/KithContractsC").filter {
      $0.first?.isUppercase == true
    }
    if !areas.isEmpty { folders["KithContractsC"] = nil }
    for area in areas { folders["\(area)ContractC"] = "Sources/KithContractsC/\(area)" }
    for plugin in try SourceTree.names(in: "Plugins") where plugin != "products" {
      for part in try SourceTree.names(in: "Plugins/\(plugin)") where Self.parts.contains(part) {
        folders["\(plugin)\(part)"] = "Plugins/\(plugin)/\(part)"
      }
    }
    var modules: [String: Module] = [:]
    for (name, folder) in folders {
      var imports: Set<String> = []
      for path in SourceTree.files(below: folder, suffix: ".swift") {
        imports.formUnion(try SourceTree.imports(of: path).map(\.module))
      }
      // What C includes no Swift import shows.
      if folder.hasPrefix("Sources/KithContractsC") { imports.insert("CProtobufC") }
      modules[name] = Module(
        folder: folder, imports: imports.intersection(folders.keys).subtracting([name]))
    }
    self.modules = modules
    layers = try Self.layers(of: modules)
  }

  /// The parts of a plugin that are modules.
  static let parts: Set<String> = ["Domain", "Service", "Worker"]

  /// Modules that import each other.
  struct Cycle: Error, CustomStringConvertible {
    var description: String
  }

  /// The modules of each layer, sorted, the lowest layer first; the C of the contracts under one
  /// name.
  var rows: [[String]] {
    (0...(layers.values.max() ?? 0)).map { layer in
      let names = layers.filter { $0.value == layer }.map(\.key)
      return Set(names.map { $0.hasSuffix("ContractC") ? "<Area>ContractC" : $0 }).sorted()
    }
  }

  private static func layers(of modules: [String: Module]) throws -> [String: Int] {
    var layers: [String: Int] = [:]
    var way: [String] = []
    func layer(_ name: String) throws -> Int {
      if let known = layers[name] { return known }
      guard !way.contains(name) else {
        throw Cycle(description: (way + [name]).joined(separator: " -> "))
      }
      way.append(name)
      defer { way.removeLast() }
      let below = try modules[name]?.imports.map(layer).max() ?? -1
      layers[name] = below + 1
      return below + 1
    }
    for name in modules.keys { _ = try layer(name) }
    return layers
  }
}

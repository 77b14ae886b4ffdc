import Testing

/// The layers of the modules are computed from the imports; the pictures of the pages are checked
/// against them.
@Suite struct LayerTests {
  private static let width = 120

  /// The picture that Architecture.md must show: each module stands above all that it imports.
  private static func picture(_ graph: ModuleGraph) -> [String] {
    graph.rows.enumerated().reversed().flatMap { layer, modules -> [String] in
      var lines: [String] = []
      var line = "\(layer)"
      for module in modules {
        if line.count + 2 + module.count > width {
          lines.append(line)
          line = " "
        }
        line += "  \(module)"
      }
      return lines + [line]
    }
  }

  /// The lines of the first listing behind a line of a page.
  private static func listing(in page: String, behind title: String) throws -> [String] {
    let lines = try SourceTree.text(of: page).split(
      separator: "\n", omittingEmptySubsequences: false
    ).map(String.init)
    let start = try #require(lines.firstIndex(of: title), "\(page) has no line '\(title)'")
    let fence = try #require(lines[start...].firstIndex { $0.hasPrefix("```") })
    return lines[(fence + 1)...].prefix { !$0.hasPrefix("```") }.map { $0 }
  }

  @Test func thePictureOfTheArchitectureIsTheComputedOne() throws {
    let shown = try Self.listing(
      in: "Sources/KithHost/KithHost.docc/Architecture.md", behind: "## Layers")
    let right = Self.picture(try ModuleGraph())
    #expect(
      shown == right,
      "Architecture.md does not show the layers as they are. Its listing must be:\n\(right.joined(separator: "\n"))"
    )
  }

  /// The README shows some of the modules; of these, each stands above those that it imports,
  /// itself or through others.
  @Test func thePictureOfTheReadmeFitsTheLayers() throws {
    let graph = try ModuleGraph()
    let rows = try Self.listing(
      in: "README.md",
      behind:
        "The layers of the code ([all modules](Sources/KithHost/KithHost.docc/Architecture.md)); "
        + "a module imports only from layers below:")
    var height: [String: Int] = [:]
    for (position, row) in rows.enumerated() {
      for word in row.split(separator: " ").dropFirst().map(String.init) {
        guard graph.modules[word] == nil else {
          height[word] = rows.count - position
          continue
        }
        #expect(!word.hasPrefix("Kith"), "README.md: there is no module \(word).")
      }
    }
    #expect(height.count > 10)
    for (module, place) in height {
      for (other, below) in height where module != other && reaches(module, other, in: graph) {
        #expect(
          place > below, "README.md: \(module) imports \(other), and stands no higher.")
      }
    }
  }

  private func reaches(_ module: String, _ other: String, in graph: ModuleGraph) -> Bool {
    let imports = graph.modules[module]?.imports ?? []
    return imports.contains(other) || imports.contains { reaches($0, other, in: graph) }
  }
}

import Testing

/// What the tree as a whole must be like.
@Suite struct TreeTests {
  @Test func theTopLevelHoldsTheAgreedNamesAndNoOther() throws {
    let agreed = [
      "LICENSE", "Package.resolved", "Package.swift", "Plugins", "README.md", "Sources", "Tests",
      "proto", "tools",
    ]
    for name in try SourceTree.names(in: "") {
      #expect(agreed.contains(name), "\(name) does not belong on the top level.")
    }
  }

  /// A plugin without a domain serves the rules of a library.
  @Test func everyPluginHasTheSameShape() throws {
    for plugin in try SourceTree.names(in: "Plugins") where plugin != "products" {
      let names = Set(try SourceTree.names(in: "Plugins/\(plugin)"))
      let rules = plugin == "PersonalData" ? [] : ["Domain"]
      for name in ["plugin.yaml", "README.md", "Service", "Worker"] + rules {
        #expect(names.contains(name), "Plugins/\(plugin) lacks \(name).")
      }
    }
  }

  @Test func everyPageHasOneTitle() throws {
    for folder in ["Sources", "Plugins", "Tests", "proto", "tools"] {
      for path in SourceTree.files(below: folder, suffix: ".md") {
        var titles = 0
        var inCode = false
        for line in try SourceTree.text(of: path).split(separator: "\n") {
          if line.hasPrefix("```") { inCode.toggle() }
          if !inCode && line.hasPrefix("# ") { titles += 1 }
        }
        #expect(titles == 1, "\(path) has \(titles) titles; a page has one.")
      }
    }
  }

  @Test func unsafeWordsStandOnlyWhereCIsWrapped() throws {
    // The generated contracts and KithWire touch C memory; the nng transport keeps C handles.
    // Nobody else does.
    let wrappers = [
      "Sources/KithWire/", "Sources/KithContracts/", "Sources/KithTransfer/",
      "Sources/KithTransportNng/",
    ]
    for folder in ["Sources", "Plugins"] {
      for path in SourceTree.files(below: folder, suffix: ".swift")
      where !wrappers.contains(where: path.hasPrefix) {
        let lines = try SourceTree.text(of: path).split(
          separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated()
        where line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)") {
          Issue.record(
            "\(path):\(index + 1): unchecked concurrency outside the C wrappers; guard the state with a Mutex."
          )
        }
      }
    }
  }
}

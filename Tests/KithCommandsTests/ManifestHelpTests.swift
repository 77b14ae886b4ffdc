import KithJSON
import KithManifest
import Testing

@testable import KithCommands
@testable import KithTerminal

/// `kith help manifest` and `kith help plugin`.
@Suite struct ManifestHelpTests {
  private static let terminal = Terminal(width: 80)

  @Test(arguments: ManifestHelp.allCases)
  func itIsReadAtEightyColumns(page: ManifestHelp) {
    for line in page.lines(Self.terminal) {
      #expect(TextWidth.columns(line) <= 80 && line.last != " ", "\(line)")
    }
  }

  @Test(arguments: ManifestHelp.allCases)
  func itHasEveryKeyOfTheDecoder(page: ManifestHelp) {
    let text = page.lines(Self.terminal).joined(separator: "\n")
    let json = page.json["sections"]?.arrayValue ?? []
    #expect(json.count == page.sections.count)
    #expect(Set(page.sections.map(\.path)).count == page.sections.count)
    for (path, section) in page.sections {
      #expect(path.isEmpty || text.contains("\n\(path)\n"), "\(path)")
      for key in section.keys {
        #expect(text.contains("\n  \(key.name) "), "\(path) \(key.name)")
      }
      let names = json.first { $0["path"]?.stringValue == path }?["keys"]?.arrayValue?
        .compactMap { $0["name"]?.stringValue }
      #expect(names == section.keys.map(\.name))
    }
  }

  @Test func theExamplesAreManifests() throws {
    let plugin = try PluginManifest(parsing: ManifestHelp.plugin.example, file: "plugin.yaml")
    #expect(plugin.configuration.keys.map(\.name) == ["refill_at", "api_key"])
    let product = try ProductManifest(parsing: ManifestHelp.manifest.example, file: "a.yaml")
    #expect(product.extends?.path == "milo" && product.alerts.map(\.name) == ["late"])
  }

  @Test func itIsAskedForByName() {
    func read(_ words: String...) -> Invocation { Invocation(words, commands: ["plugin", "up"]) }
    #expect(read("help", "manifest") == .manifestHelp(.manifest, isJSON: false))
    #expect(read("help", "plugin", "--json") == .manifestHelp(.plugin, isJSON: true))
    #expect(read("--json", "help", "plugin") == .manifestHelp(.plugin, isJSON: true))
    #expect(read("help", "plugin", "new") == .command(["help", "plugin", "new"]))
    #expect(read("help", "up") == .command(["help", "up"]))
  }
}

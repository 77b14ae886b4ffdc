import KithManifest
import ManifestSamples
import Testing

/// U+FEFF in front of a manifest, as some editors write it.
@Suite struct ByteOrderMarkTests {
  private static let mark = "\u{feff}"

  @Test func aManifestMayBeginWithAByteOrderMark() throws {
    let plugin = try PluginManifest(parsing: Self.mark + Samples.plugin, file: "plugin.yaml")
    #expect(plugin.name == "risk-engine")
    let product = try ProductManifest(
      parsing: Self.mark + "product: a\nworkers: { b: {} }", file: "a.yaml")
    #expect(product.name == "a")
  }

  @Test func itTakesNoColumn() throws {
    let found = errors {
      _ = try PluginManifest(parsing: Self.mark + "plugni: a", file: "plugin.yaml")
    }
    #expect(
      found.contains {
        $0.code == .unknownKey
          && $0.location == SourceLocation(file: "plugin.yaml", line: 1, column: 1)
          && $0.message.contains("'plugni'")
      }, "\(found)")
  }

  @Test func aSecondOneIsPartOfTheText() {
    let found = errors {
      _ = try PluginManifest(parsing: Self.mark + Self.mark + Samples.plugin, file: "plugin.yaml")
    }
    #expect(!found.isEmpty)
  }
}

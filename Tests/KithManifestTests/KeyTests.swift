import ManifestSamples
import Testing

@testable import KithManifest

/// The table of keys, which the decoder reads by and `kith help manifest` prints.
@Suite struct KeyTests {
  private static let sections =
    ManifestSection.ofProducts + ManifestSection.ofPlugins + ManifestSection.ofBoth

  /// Where the keys of a section stand: a manifest with `BODY` in that place.
  private static func manifest(_ section: String, _ body: String) -> (isProduct: Bool, text: String)
  {
    let plugin = "plugin: a\nversion: 1.0.0\nexecutable: a\n"
    let product = "product: a\nworkers: { b: {} }\n"
    return switch section {
    case "plugin": (false, body)
    case "config": (false, "\(plugin)config: { a: { \(body) } }")
    case "requires": (false, "\(plugin)requires: [ { \(body) } ]")
    case "budgets": (false, "\(plugin)restart: { budgets: { \(body) } }")
    case "budget": (false, "\(plugin)restart: { budgets: { crash: { \(body) } } }")
    case "backoff", "quarantine": (false, "\(plugin)restart: { \(section): { \(body) } }")
    case "product": (true, body)
    case "workers": (true, "product: a\nworkers: { b: { \(body) } }")
    case "listen": (true, "product: a\nworkers: { b: { listen: { \(body) } } }")
    case "remote": (true, "\(product)remote: { kith.b.v1.B: { \(body) } }")
    case "alerts": (true, "\(product)alerts: { b: { \(body) } }")
    case "metrics", "pager": (true, "\(product)\(section): { \(body) }")
    default: (false, "\(plugin)\(section): { \(body) }")
    }
  }

  private func found(_ section: String, _ body: String) -> [ManifestError] {
    let manifest = Self.manifest(section, body)
    return errors {
      if manifest.isProduct {
        _ = try ProductManifest(parsing: manifest.text, file: "a.yaml")
      } else {
        _ = try PluginManifest(parsing: manifest.text, file: "a.yaml")
      }
    }
  }

  /// Keys that take whatever stands there, to be judged by other keys: each alone is enough to be
  /// read.
  private static let judgedByOthers = [
    "config.default": "type: int, default: [[]]", "config.range": "type: int, range: [[]]",
    "config.values": "type: enum, values: { a: 1 }",
    "alerts.above": "measure: p95, above: [[]]",
  ]

  /// A value that no key takes must be refused for each key of the table: a key that nothing
  /// decodes would pass.
  @Test(arguments: sections)
  func everyKeyOfTheTableIsDecoded(section: ManifestSection) {
    for key in section.keys {
      let body =
        Self.judgedByOthers["\(section.name).\(key.name)"] ?? "\(key.name): [{ \"?\": [[]] }]"
      let found = found(section.name, body)
      #expect(
        found.contains { $0.code != .missingKey },
        "\(section.name).\(key.name) takes anything: \(found)")
      #expect(
        !found.contains { $0.message == "unknown key '\(key.name)'" },
        "\(section.name).\(key.name) is not known: \(found)")
    }
  }

  /// The other way round: what the decoder knows is what an error about an unknown key lists.
  @Test(arguments: sections)
  func theDecoderKnowsTheKeysOfTheTableAndNoOther(section: ManifestSection) {
    let error = found(section.name, "no-such-key: 1").first { $0.code == .unknownKey }
    #expect(
      error?.expected == "one of \(section.keys.map(\.name).joined(separator: ", "))",
      "\(section.name)")
  }

  @Test func everySectionThatAKeyNamesIsThere() {
    let names = Self.sections.map(\.name)
    #expect(Set(names).count == names.count)
    for key in Self.sections.flatMap(\.keys) {
      if let section = key.section { #expect(names.contains(section)) }
      #expect(key.doc.hasSuffix(".") && !key.type.isEmpty, "\(key)")
    }
    let named = Set(Self.sections.flatMap(\.keys).compactMap(\.section))
    #expect(named.union(["product", "plugin"]) == Set(names))
  }

  /// What the table says of a default is what a manifest without the key comes to.
  @Test func defaultsAreThoseOfTheTable() throws {
    let plugin = try PluginManifest(
      parsing: "plugin: a\nversion: 1.0.0\nexecutable: a", file: "plugin.yaml")
    func shown(_ section: ManifestSection, _ name: String) -> String? {
      section.keys.first { $0.name == name }?.defaultText
    }
    #expect(shown(PluginManifest.section, "start_timeout") == plugin.startTimeout.short)
    #expect(shown(PluginManifest.section, "watchdog") == plugin.watchdog?.short)
    #expect(shown(RestartPolicy.section, "intensity") == "\(plugin.restart.budget.intensity)")
    #expect(shown(RestartPolicy.section, "type") == plugin.restart.kind.rawValue)
    #expect(shown(Backoff.section, "longest") == plugin.restart.backoff.longest.short)
    #expect(shown(StoreSettings.section, "keep_events") == plugin.store.keepEvents.short)
    #expect(
      shown(StoreSettings.section, "keep_events_size")
        == ResourceLimits.words(plugin.store.keepEventsBytes))
    #expect(shown(ResourceLimits.section, "processes") == "\(plugin.limits.mostProcesses)")
  }
}

import KithJSON
import KithManifest
import ManifestSamples
import Testing

/// A part of a product as a manifest of its own.
@Suite struct ManifestPartTests {
  private func part(
    of text: String, keeping names: Set<String>,
    _ configuration: [String: [String: JSONValue]] = [:]
  ) throws -> ProductManifest {
    let part = try ProductManifest.part(
      of: text, file: "whole.yaml", keeping: names, configuration: configuration)
    return try ProductManifest(parsing: part, file: "part.yaml")
  }

  @Test func whatAWorkerRequiresComesAlongOneThroughAnother() throws {
    let catalogue = PluginCatalogue(plugins: [
      try Samples.plugin("a", requires: ["x.B"]),
      try Samples.plugin("b", provides: ["x.B"], requires: ["x.C", "x.Elsewhere"]),
      try Samples.plugin("c", provides: ["x.C"]), try Samples.plugin("d"),
    ])
    let product = try Samples.product("  d: {}\n  a: {}\n  b: {}\n  third: { plugin: c }")
    #expect(product.workers(neededBy: ["a"], in: catalogue) == ["a", "b", "third"])
    #expect(product.workers(neededBy: ["d", "third"], in: catalogue) == ["d", "third"])
  }

  @Test func whatIsKeptMeansTheSameAsBefore() throws {
    let text = """
      product: whole
      title: "Whole: \\"all\\" of it, 100%"
      posture: personal
      workers:
        a:
          plugin: p
          watchdog: 30s
          restart: { type: temporary }
          config:
            word: a, [b] {c}
            number: 5
            "quoted": "5"
            nothing: ~
            list: [1, "two", three four]
        b: {}
        c:
      alerts:
        errors: { measure: error_rate, above: 5%, window: 5m, workers: [b] }
      """
    let whole = try ProductManifest(parsing: text, file: "whole.yaml")
    let part = try part(of: text, keeping: ["a", "c"])
    #expect(part.title == whole.title && part.posture == whole.posture && part.alerts.isEmpty)
    #expect(part.workers.map(\.name) == ["a", "c"])
    let (before, after) = (whole.workers[0], part.workers[0])
    #expect(after.plugin == "p")
    #expect(after.configuration.map(\.key) == before.configuration.map(\.key))
    for (before, after) in zip(before.configuration, after.configuration) {
      #expect(Self.plain(after.value) == Self.plain(before.value), "\(before.key)")
    }
  }

  @Test func otherConfigurationStandsInTheSamePlace() throws {
    let text = "product: p\nworkers:\n  a: { config: { x: 1, y: two } }\n  b:\n"
    let part = try part(
      of: text, keeping: ["a", "b"], ["a": ["x": 7, "z": "5m"], "b": ["on": true]])
    #expect(part.workers[0].configuration.map(\.key).sorted() == ["x", "y", "z"])
    let x = part.workers[0].configuration.first { $0.key == "x" }
    #expect(x?.value.content == .scalar(text: "7", isPlain: true))
    #expect(part.workers[1].configuration.map(\.key) == ["on"])
  }

  @Test func aPartOfWhatExtendsAnotherIsRefused() {
    #expect(throws: ManifestErrors.self) {
      try part(of: "product: p\nextends: base.yaml\n", keeping: [])
    }
  }

  /// A value without its places; a text that had to be put in quotes is the same text.
  private static func plain(_ value: ManifestValue) -> String {
    switch value.content {
    case .null: "null"
    case .scalar(let text, let isPlain): isPlain && Double(text) != nil ? text : "'\(text)'"
    case .list(let values): "\(values.map(plain))"
    case .mapping(let entries): "\(entries.map { "\($0.key): \(plain($0.value))" })"
    }
  }
}

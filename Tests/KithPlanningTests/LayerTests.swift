import KithManifest
import KithPlanning
import ManifestSamples
import Testing

/// Values of a plugin, of a base and of a product, one laid over the other, and checked together.
@Suite struct LayerTests {
  /// The errors of a plan of one worker, whose plugin and product say this.
  private func found(
    plugin: String, product: String, base: String? = nil
  ) throws -> [ManifestError] {
    let catalogue = PluginCatalogue(plugins: [try Samples.plugin("one", more: plugin)])
    return errors { _ = try Plan(product: self.product(product, base), catalogue: catalogue) }
  }

  private func product(_ settings: String, _ base: String?) throws -> ProductManifest {
    let product = try Samples.product(
      "  one: { \(settings) }", more: base == nil ? "" : "extends: base.yaml")
    guard let base else { return product }
    return try product.extending(
      ProductManifest(
        parsing: "product: base\nworkers: { one: { \(base) } }", file: "base.yaml"))
  }

  @Test(arguments: [
    ("limits: { memory_high: 192MiB }", "limits: { memory: 64MiB }"),
    ("limits: { memory: 64MiB }", "limits: { memory_high: 192MiB }"),
    (
      "restart: { backoff: { shortest: 1m, longest: 2m } }",
      "restart: { backoff: { longest: 30s } }"
    ),
    ("restart: { quarantine: { shortest: 5m } }", "restart: { quarantine: { longest: 2m } }"),
    ("", "restart: { backoff: { longest: 50ms } }"),
    ("", "limits: { memory: 64MiB, memory_high: 65MiB }"),
  ])
  func whatDoesNotFitTogetherIsRefusedWhereTheProductStatesIt(plugin: String, product: String)
    throws
  {
    let found = try found(plugin: plugin, product: product)
    #expect(found.map(\.code) == [.outOfRange], "\(found)")
    #expect(found.first?.location?.file == "sample.yaml", "\(found)")
    #expect(found.first?.location?.line == 4, "\(found)")
  }

  @Test func theOtherPlaceIsNamedToo() throws {
    let found = try found(
      plugin: "limits: { memory_high: 192MiB }", product: "limits: { memory: 64MiB }")
    #expect(
      found.map(\.description) == [
        "sample.yaml:4:28: 'memory_high' (192MiB) is above 'memory' (64MiB); the other one is at "
          + "one/plugin.yaml:7:24; expected 'memory_high' to be 'memory' or less"
      ])
  }

  @Test func theBaseIsALayerToo() throws {
    let found = try found(
      plugin: "limits: { memory: 256MiB }", product: "limits: { memory: 64MiB }",
      base: "limits: { memory_high: 192MiB }")
    #expect(found.map(\.code) == [.outOfRange], "\(found)")
  }

  /// Each would be wrong beside the defaults, or beside the plugin's alone.
  @Test(
    arguments: [
      ("restart: { backoff: { shortest: 5ms } }", "restart: { backoff: { longest: 20ms } }", nil),
      (
        "limits: { memory_high: 192MiB }", "limits: { memory_high: 32MiB }",
        "limits: { memory: 64MiB }"
      ),
    ] as [(String, String, String?)])
  func whatFitsTogetherPasses(plugin: String, product: String, base: String?) throws {
    let found = try found(plugin: plugin, product: product, base: base)
    #expect(found.isEmpty, "\(found)")
  }

  @Test func aPluginIsCheckedByItself() {
    let found = errors {
      _ = try Samples.plugin("one", more: "limits: { memory: 64MiB, memory_high: 65MiB }")
    }
    #expect(found.map(\.code) == [.outOfRange], "\(found)")
  }

  @Test func eachLayerAddsToABudget() throws {
    let catalogue = PluginCatalogue(plugins: [
      try Samples.plugin(
        "one", more: "restart: { period: 2m, budgets: { stuck: { intensity: 2 } } }")
    ])
    let restart = try Plan(
      product: product(
        "restart: { budgets: { stuck: { period: 1m }, crash: {} } }",
        "restart: { intensity: 7, budgets: { crash: { period: 3m } } }"),
      catalogue: catalogue
    ).workers[0].restart
    #expect(restart.budget == .init(intensity: 7, period: .seconds(120)))
    #expect(restart.budgets[.stuck] == .init(intensity: 2, period: .seconds(60)))
    #expect(restart.budgets[.crash] == .init(intensity: 7, period: .seconds(180)))
  }

  // MARK: What a product drops

  private let base = """
    product: base
    workers: { one: {}, two: {} }
    remote: { kith.b.v1.B: { address: "tcp://10.0.0.2:7443", insecure: true } }
    alerts: { gone: { measure: down }, slow: { measure: p95, above: 5s } }
    """

  @Test func aProductDropsWhatItsBaseHas() throws {
    let product = try ProductManifest(
      parsing: """
        product: small
        extends: base
        workers: { two: none, three: {} }
        remote: { kith.b.v1.B: none }
        alerts: { slow: none }
        """, file: "small.yaml"
    ).extending(ProductManifest(parsing: base, file: "base.yaml"))
    #expect(product.workers.map(\.name) == ["one", "three"])
    #expect(product.remoteServices.isEmpty)
    #expect(product.alerts.map(\.name) == ["gone"])
  }

  @Test(arguments: [
    ("workers: { tow: none }", "base has no worker 'tow' to drop", "did you mean 'two'?"),
    ("remote: { kith.b.v1.C: none }", "base has no remote service 'kith.b.v1.C'", "kith.b.v1.B"),
    ("alerts: { slw: none }", "base has no alert 'slw'", "did you mean 'slow'?"),
  ])
  func whatTheBaseLacksCannotBeDropped(_ line: String, _ message: String, _ help: String) throws {
    let product = try ProductManifest(
      parsing: "product: a\nextends: base\n\(line)", file: "a.yaml")
    let found = errors {
      _ = try product.extending(ProductManifest(parsing: self.base, file: "base.yaml"))
    }
    #expect(found.count == 1 && found[0].location?.line == 3, "\(found)")
    #expect(found.first?.description.contains(message) == true, "\(found)")
    #expect(found.first?.description.contains(help) == true, "\(found)")
  }

  @Test func withoutABaseNothingCanBeDropped() {
    let found = errors {
      _ = try ProductManifest(
        parsing: "product: a\nworkers: { one: {}, two: none }", file: "a.yaml")
    }
    #expect(found.map(\.message) == ["'two' is dropped, and there is no base"], "\(found)")
  }
}

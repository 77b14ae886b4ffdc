import KithJSON
import KithManifest
import KithPlanning
import ManifestSamples
import Testing

@Suite struct PlanTests {
  @Test func ordersWorkersByWhatTheyRequire() throws {
    let catalogue = PluginCatalogue(plugins: [
      try Samples.plugin("a", requires: ["x.C", "x.B"]),
      try Samples.plugin("b", provides: ["x.B"], requires: ["x.C"]),
      try Samples.plugin("c", provides: ["x.C"]),
      try Samples.plugin("d"),
    ])
    let plan = try Plan(
      product: Samples.product("  a: {}\n  b: {}\n  c: {}\n  d: {}"), catalogue: catalogue)
    #expect(plan.workers.map(\.name) == ["c", "b", "a", "d"])
    #expect(plan.worker(named: "a")?.dependencies.map(\.name) == ["c", "b"])
    #expect(plan.worker(named: "d")?.dependencies == [])
    #expect(plan.warnings.isEmpty)
  }

  @Test func anOptionalRequirementThatLeadsBackOrdersNothing() throws {
    func optional(_ service: String, _ more: String = "") -> String {
      "{ service: \(service), optional: true\(more) }"
    }
    let catalogue = PluginCatalogue(plugins: [
      try Samples.plugin("falls", provides: ["x.Falls"], requires: [optional("x.Alerts")]),
      try Samples.plugin(
        "family", provides: ["x.Alerts"], requires: [optional("x.Falls"), "x.Out"]),
      try Samples.plugin("out", provides: ["x.Out"], requires: [optional("x.Out2")]),
      try Samples.plugin("out2", provides: ["x.Out2"], requires: ["x.Out"]),
      try Samples.plugin(
        "held", provides: ["x.Held"], requires: [optional("x.Held2", ", on_loss: hold")]),
      try Samples.plugin("held2", provides: ["x.Held2"], requires: ["x.Held"]),
    ])
    let plan = try Plan(
      product: Samples.product("  falls: {}\n  family: {}\n  out: {}\n  out2: {}"),
      catalogue: catalogue)
    #expect(plan.workers.map(\.name) == ["falls", "out", "family", "out2"])
    #expect(plan.worker(named: "falls")?.dependencies == [])
    // The right to call stays.
    #expect(plan.worker(named: "falls")?.requires.map(\.name) == ["x.Alerts"])
    // One whose loss has an effect stays in the way.
    let found = errors {
      _ = try Plan(product: Samples.product("  held: {}\n  held2: {}"), catalogue: catalogue)
    }
    #expect(found.map(\.code) == [.cycle])
  }

  @Test func isTheSameForTheSameInput() throws {
    let catalogue = PluginCatalogue(plugins: [try Samples.plugin("a"), try Samples.plugin("b")])
    let product = try Samples.product("  b: {}\n  a: {}")
    let plan = try Plan(product: product, catalogue: catalogue)
    #expect(try plan == Plan(product: product, catalogue: catalogue))
    #expect(plan.workers.map(\.name) == ["b", "a"])
  }

  @Test func fillsInTheConfiguration() throws {
    let catalogue = PluginCatalogue(plugins: [
      try Samples.plugin(
        "a",
        config: """
          { high: { type: double, range: 0..1, default: 0.7 }, low: { type: double, default: 0.2 },
            token: { type: string, sensitive: true }, wait: { type: duration, default: 5s },
            size: { type: bytes, default: 1KiB }, on: { type: bool, default: true } }
          """)
    ])
    let plan = try Plan(
      product: Samples.product("  a: { config: { high: 1, token: hush, wait: 1.5s } }"),
      catalogue: catalogue)
    #expect(
      plan.workers[0].configuration.members == [
        .init(name: "high", value: 1.0), .init(name: "low", value: 0.2),
        .init(name: "token", value: "hush"), .init(name: "wait", value: "1.5s"),
        .init(name: "size", value: 1024), .init(name: "on", value: true),
      ])
    #expect(plan.workers[0].shownConfiguration["token"] == "<sensitive>")
    #expect(!plan.description.contains("hush"))
    #expect(!plan.json.text().contains("hush"))
  }

  private static let wrong: [(String, ManifestError.Code, Int, Int, String)] = [
    ("  rsk: {}", .missingPlugin, 4, 3, "did you mean 'risk'?"),
    ("  other: { plugin: riks }", .missingPlugin, 4, 20, "did you mean 'risk'?"),
    ("  risk: { config: { hihg: 1 } }", .unknownKey, 4, 21, "did you mean 'high'?"),
    ("  risk: { config: { high: x } }", .wrongType, 4, 27, "'high' is a text; expected a number"),
    ("  risk: { config: { high: 2 } }", .outOfRange, 4, 27, "expected 0..1"),
    ("  risk: { config: { mode: strct } }", .outOfRange, 4, 27, "did you mean 'strict'?"),
    ("  plain: { config: { a: 1 } }", .unknownKey, 4, 22, "expected no configuration"),
    ("  needs: {}", .missingKey, 4, 3, "needs the configuration key 'must'; expected a int: How"),
    ("  unbuilt: {}", .missingExecutable, 3, 13, "/plugins/unbuilt/bin/unbuilt-worker or"),
    ("  risk: {}\n  again: { plugin: risk }", .duplicateService, 5, 3, "which risk provides"),
    ("  caller: {}", .missingService, 4, 3, "the worker risk in the product"),
    ("  lost: {}", .missingService, 4, 3, "did you mean 'x.Risk'?"),
    ("  c1: {}\n  c2: {}\n  c3: {}", .cycle, 4, 3, "c1 -> c3 -> c2 -> c1"),
    ("  own: {}", .cycle, 4, 3, "own -> own"),
    ("  personal: {}", .postureMismatch, 4, 3, "the posture ephemeral"),
  ]

  @Test(arguments: wrong)
  func refusesWhatIsWrong(
    workers: String, code: ManifestError.Code, line: Int, column: Int, text: String
  ) throws {
    let catalogue = PluginCatalogue(
      plugins: [
        try Samples.plugin(
          "risk", provides: ["x.Risk"],
          config: """
            { high: { type: double, range: 0..1, default: 0.7 },
              mode: { type: enum, values: [strict, lenient], default: strict } }
            """),
        try Samples.plugin("plain"),
        try Samples.plugin("needs", config: "{ must: { type: int, doc: How many. } }"),
        try Samples.plugin("unbuilt", executable: nil),
        try Samples.plugin("caller", requires: ["x.Risk"]),
        try Samples.plugin("lost", requires: ["x.Rsik"]),
        try Samples.plugin("c1", provides: ["c.C1"], requires: ["c.C3"]),
        try Samples.plugin("c2", provides: ["c.C2"], requires: ["c.C1"]),
        try Samples.plugin("c3", provides: ["c.C3"], requires: ["c.C2"]),
        try Samples.plugin("own", provides: ["c.Own"], requires: ["c.Own"]),
        try Samples.plugin("personal", more: "postures: [personal]"),
      ], searchPath: ["/plugins"])
    let product = try Samples.product(workers)
    let found = errors { _ = try Plan(product: product, catalogue: catalogue) }
    #expect(found.count == 1, "\(found)")
    #expect(found.first?.code == code)
    #expect(found.first?.location?.line == line)
    #expect(found.first?.location?.column == column)
    #expect(found.first?.description.contains(text) == true, "\(found)")
  }

  @Test func tellsAllErrorsAtOnce() throws {
    let catalogue = PluginCatalogue(plugins: [try Samples.plugin("a", executable: nil)])
    let product = try Samples.product("  a: { config: { x: 1 } }\n  b: {}\n  c: {}")
    let found = errors { _ = try Plan(product: product, catalogue: catalogue) }
    #expect(
      found.map(\.code) == [.unknownKey, .missingPlugin, .missingPlugin, .missingExecutable])
  }

  @Test func refusesAProductWithoutWorkers() throws {
    let base = try ProductManifest(
      parsing: "product: b\nextends: x.yaml", file: "b.yaml")
    let found = errors { _ = try Plan(product: base, catalogue: PluginCatalogue(plugins: [])) }
    #expect(found.map(\.code) == [.missingKey])
  }

  @Test func neverQuotesASensitiveValue() throws {
    let catalogue = PluginCatalogue(plugins: [
      try Samples.plugin(
        "a",
        config: "{ pin: { type: int, sensitive: true }, w: { type: enum, values: [u], "
          + "sensitive: true } }")
    ])
    let product = try Samples.product("  a: { config: { pin: hush, w: hush } }")
    let found = errors { _ = try Plan(product: product, catalogue: catalogue) }
    #expect(found.count == 2)
    #expect(!found.description.contains("hush"))
  }

  @Test func aBrokenPluginOnlyMattersToThoseWhoNeedOne() throws {
    let broken = ManifestError(.syntax, "broken", at: SourceLocation(file: "b/plugin.yaml"))
    let catalogue = PluginCatalogue(plugins: [try Samples.plugin("a")], errors: [broken])
    let plan = try Plan(product: Samples.product("  a: {}"), catalogue: catalogue)
    #expect(plan.warnings == [broken])
    let product = try Samples.product("  b: {}")
    let found = errors { _ = try Plan(product: product, catalogue: catalogue) }
    #expect(found.contains(broken))
  }

  @Test func aWorkerIsCountedAsOne() throws {
    let catalogue = PluginCatalogue(plugins: [try Samples.plugin("a")])
    let plan = try Plan(product: Samples.product("  a: {}"), catalogue: catalogue)
    #expect(plan.description.hasPrefix("sample (sample), ephemeral, 1 worker:"))
  }

  @Test func printsForAPersonAndForAMachine() throws {
    let catalogue = PluginCatalogue(plugins: [
      try Samples.plugin("a", provides: ["x.A"], config: "{ n: { type: int, default: 3 } }"),
      try Samples.plugin("b", requires: ["x.A"]),
    ])
    let plan = try Plan(
      product: Samples.product("  second: { plugin: b }\n  a: {}", more: "title: Sample"),
      catalogue: catalogue)
    #expect(
      plan.description == """
        Sample (sample), ephemeral, 2 workers:
        1. a  1.0.0
             runs      /bin/program
             provides  x.A
             config    n=3
        2. second  b 1.0.0
             runs      /bin/program
             after     a
        """)
    let first = plan.json["workers"]?.arrayValue?.first
    #expect(first?["config"] == ["n": 3])
    // As proto3 JSON: names in camelCase, numbers of 64 bits as texts, nothing for what is absent.
    #expect(first?["restart"]?["periodMs"] == "30000")
    #expect(first?["startTimeoutMs"] == "10000")
    #expect(first?["limits"] == [:])
  }

  @Test func aRuleForWhatIsNotThereIsRefused() throws {
    let catalogue = PluginCatalogue(plugins: [
      try Samples.plugin("risk-engine", provides: ["kith.risk.v1.RiskEngine"])
    ])
    for (rule, words) in [
      ("workers: [risk-engin]", "did you mean 'risk-engine'?"),
      ("methods: [kith.risk.v1.RiskEngin/Analyze]", "did you mean 'kith.risk.v1.RiskEngine'?"),
    ] {
      let product = try Samples.product(
        "  risk-engine: {}", more: "alerts: { x: { measure: p95, above: 5s, \(rule) } }")
      let found = errors { _ = try Plan(product: product, catalogue: catalogue) }
      #expect(found.count == 1)
      #expect(found.first?.description.contains(words) == true, "\(found)")
    }
    let product = try Samples.product(
      "  risk-engine: {}",
      more: "alerts: { x: { measure: p95, above: 5s, methods: [kith.risk.v1.RiskEngine/Any] } }")
    #expect(try Plan(product: product, catalogue: catalogue).alerts.count == 1)
  }

  @Test func valuesOfTheBaseAreKeptWhereTheProductStatesNone() throws {
    let base = try ProductManifest(
      parsing: """
        product: base
        workers:
          one: { config: { a: 1, b: 2 }, restart: { type: temporary, intensity: 1 } }
        """, file: "base.yaml")
    let own = try ProductManifest(
      parsing: """
        product: own
        workers:
          one: { config: { b: 3 }, restart: { intensity: 2 } }
        """, file: "own.yaml")
    let catalogue = PluginCatalogue(plugins: [
      try Samples.plugin(
        "one", config: "{ a: { type: int }, b: { type: int } }",
        more: "restart: { period: 1m }")
    ])
    let worker = try Plan(product: try own.extending(base), catalogue: catalogue).workers[0]
    #expect(worker.configuration == ["a": 1, "b": 3])
    #expect(
      worker.restart
        == RestartPolicy(kind: .temporary, intensity: 2, period: .seconds(60)))
  }
}

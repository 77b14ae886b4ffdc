import KithManifest
import ManifestSamples
import Testing

@Suite struct AlertRuleTests {
  private func product(_ more: String) throws -> ProductManifest {
    try ProductManifest(
      parsing: "product: a\nworkers: { b: {} }\n\(more)", file: "a.yaml")
  }

  @Test func readsWhatMilosTextAsksFor() throws {
    let rules = try product(
      """
      alerts:
        dispatch:
          measure: error_rate
          above: 2%
          window: 15m
          severity: page
          workers: [b]
          methods: [kith.notify.v1.Notifier/Send]
          minimum_calls: 50
        errors: { measure: error_rate, above: 5%, severity: page }
        slow: { measure: p95, above: 5s }
      """
    ).alerts
    #expect(rules.map(\.name) == ["dispatch", "errors", "slow"])
    #expect(
      rules.map(\.description) == [
        "error rate of kith.notify.v1.Notifier/Send above 2 % over 15 min",
        "error rate above 5 % over 5 min", "p95 above 5 s over 5 min",
      ])
    #expect(rules[0].bound == 0.02 && rules[0].window == .seconds(900))
    #expect(rules[0].workers == ["b"] && rules[0].minimumCalls == 50)
    #expect(rules[1].minimumCalls == 20 && rules[1].workers.isEmpty && rules[1].methods.isEmpty)
    #expect(rules.map(\.severity) == [.page, .page, .warning])
    #expect(rules[2].bound == 5 && rules[2].words(0.0475) == "47.5 ms")
    #expect(rules[1].words(0.072) == "7.2 %")
  }

  @Test(arguments: [
    ("x: { above: 5% }", "the key 'measure' is missing"),
    ("x: { measure: p95 }", "the key 'above' is missing"),
    ("x: { measure: p90, above: 5s }", "did you mean 'p50'?"),
    ("x: { measure: p95, above: 5% }", "a time with its unit"),
    ("x: { measure: error_rate, above: 5s }", "a share of the calls with its sign"),
    ("x: { measure: error_rate, above: 0.05 }", "a share of the calls with its sign"),
    ("x: { measure: error_rate, above: 100% }", "'above' is outside its range"),
    ("x: { measure: error_rate, above: 0% }", "'above' is outside its range"),
    ("x: { measure: p95, above: 5s, window: 1s }", "'window' is outside its range"),
    ("x: { measure: p95, above: 5s, windw: 1m }", "did you mean 'window'?"),
    ("x: { measure: p95, above: 5s, severity: fatal }", "one of warning, page"),
    ("x: { measure: p95, above: 5s, workers: b }", "a list of workers"),
    ("x: { measure: p95, above: 5s, methods: [Analyze] }", "a method's full name"),
    ("x: { measure: p95, above: 5s, minimum_calls: 0 }", "'minimum_calls' is outside its range"),
    ("X: { measure: p95, above: 5s }", "the alert's name is 'X'"),
    ("x: 5%", "a mapping: { measure: error_rate"),
  ])
  func saysWhatIsWrong(rule: String, words: String) throws {
    let found = errors { _ = try product("alerts:\n  \(rule)") }
    #expect(found.count == 1, "\(found)")
    #expect(found.first?.location?.line == 4)
    #expect(found.first?.description.contains(words) == true, "\(found)")
  }

  @Test func readsRulesAboutStates() throws {
    let rules = try product(
      """
      alerts:
        gone: { measure: down, severity: page }
        long: { measure: down, above: 10m }
        stopped: { measure: quarantined }
        limping: { measure: degraded }
        unsteady: { measure: restarts, above: 3, window: 10m }
      """
    ).alerts
    #expect(rules.map(\.bound) == [30, 600, 0, 60, 3])
    #expect(
      rules.map(\.description) == [
        "down for 30 s", "down for 10 min", "quarantined", "degraded for 1 min",
        "more than 3 restarts over 10 min",
      ])
    #expect(rules[0].words(0) == "0 ms" && rules[0].words(59.5) == "59.5 s")
    #expect(rules[0].words(61) == "61 s" && rules[0].words(3_723) == "62 min")
    #expect(rules[4].words(1) == "1 restart" && rules[4].words(4) == "4 restarts")
  }

  @Test(arguments: [
    ("x: { measure: restarts }", "the key 'above' is missing"),
    ("x: { measure: restarts, above: 5s }", "'above'"),
    ("x: { measure: restarts, above: -1 }", "'above' is outside its range"),
    ("x: { measure: down, above: 5% }", "a time with its unit"),
    ("x: { measure: down, window: 5m }", "'window' says nothing about down"),
    ("x: { measure: quarantined, minimum_calls: 5 }", "'minimum_calls' says nothing"),
    ("x: { measure: degraded, methods: [kith.a.v1.A/B] }", "'methods' says nothing"),
  ])
  func saysWhatIsWrongWithARuleAboutStates(rule: String, words: String) throws {
    let found = errors { _ = try product("alerts:\n  \(rule)") }
    #expect(found.count == 1, "\(found)")
    #expect(found.first?.location?.line == 4)
    #expect(found.first?.description.contains(words) == true, "\(found)")
  }

  @Test func readsAPager() throws {
    let pager = try product(
      "pager: { command: [/bin/page, -v], webhook: https://hooks.example.org/kith?token=s3cret }"
    ).pager
    #expect(pager?.command == ["/bin/page", "-v"])
    #expect(pager?.webhook == "https://hooks.example.org/kith?token=s3cret")
    // A webhook's path may be its secret: plan and status show where it leads and no more.
    #expect(pager.map { "\($0)" } == "/bin/page -v, webhook https://hooks.example.org")
    let base = try product("pager: { command: [/bin/page] }")
    #expect(try product("").extending(base).pager?.command == ["/bin/page"])
  }

  @Test(arguments: [
    ("{}", "'pager' says nothing"), ("{ command: [page] }", "the absolute path of a program"),
    ("{ webhook: ftp://a }", "a URL"), ("{ webhook: -o/etc/passwd }", "a URL"),
    ("{ webhook: \"https://a b\" }", "a URL"), ("{ mail: a@b }", "unknown"), ("x", "a mapping"),
  ])
  func saysWhatIsWrongWithAPager(_ text: String, _ words: String) throws {
    let found = errors { _ = try product("pager: \(text)") }
    #expect(found.count == 1, "\(found)")
    #expect(found.first?.description.contains(words) == true, "\(found)")
  }

  @Test func aListOfRulesIsRefused() {
    #expect(errors { _ = try product("alerts: [x]") }.first?.code == .wrongType)
    #expect(errors { _ = try product("alerts:") }.isEmpty)
  }

  @Test func aRuleOfTheProductStandsOverOneOfItsBase() throws {
    let base = try product(
      "alerts: { slow: { measure: p95, above: 5s }, x: { measure: p50, above: 1s } }")
    let own = try product("alerts: { slow: { measure: p95, above: 1s } }")
    let merged = try own.extending(base)
    #expect(merged.alerts.map(\.name) == ["x", "slow"])
    #expect(merged.alerts.last?.bound == 1)
  }
}

@Suite struct MetricsEndpointTests {
  private func metrics(_ text: String) throws -> MetricsEndpoint? {
    try ProductManifest(
      parsing: "product: a\nworkers: { b: {} }\nmetrics: \(text)", file: "a.yaml"
    ).metrics
  }

  @Test func readsWhereTheyAre() throws {
    #expect(try metrics("{ port: 9464 }")?.port == 9464)
    #expect(try metrics("{ port: 9464 }")?.hasSocket == false)
    #expect(try metrics("{ socket: true }")?.port == nil)
    #expect(try metrics("{ port: 1, socket: true }")?.hasSocket == true)
  }

  @Test(arguments: [
    ("{}", "'metrics' names no place"), ("{ socket: false }", "'metrics' names no place"),
    ("{ port: 0 }", "1..65535"), ("{ port: 65536 }", "1..65535"),
    ("{ prt: 1, socket: true }", "did you mean 'port'?"), ("9464", "a mapping"),
  ])
  func saysWhatIsWrong(text: String, words: String) {
    let found = errors { _ = try metrics(text) }
    #expect(found.count == 1)
    #expect(found.first?.description.contains(words) == true, "\(found)")
  }
}

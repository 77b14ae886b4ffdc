import KithJSON
import KithManifest
import ManifestSamples
import Testing

@Suite struct PluginManifestTests {
  @Test func readsEveryKey() throws {
    let plugin = try PluginManifest(
      parsing: Samples.plugin + """
          mode: { type: enum, values: [strict, lenient], default: lenient, sensitive: true }
          wait: { type: duration, range: 1s..10m, default: 1m30s }
          cache: { type: bytes, range: ..1GiB, default: 64KiB }
          words: { type: strings, default: [a, no] }
          must: { type: int, range: 1.. }
        postures: [ephemeral]
        start_timeout: 500ms
        stop_timeout: 2s
        """, file: "plugin.yaml")
    #expect(plugin.name == "risk-engine")
    #expect(plugin.version == "1.0.0")
    #expect(plugin.executable == "risk-engine-worker")
    #expect(plugin.provides == ["kith.risk.v1.RiskEngine"])
    #expect(plugin.requires.isEmpty)
    #expect(plugin.overlap)
    #expect(plugin.restart == .standard)
    #expect(plugin.limits == ResourceLimits(memoryBytes: 256 << 20, openFiles: 256))
    #expect(plugin.network == .none)
    #expect(plugin.postures == [.ephemeral])
    #expect(plugin.startTimeout == .milliseconds(500))
    #expect(plugin.stopTimeout == .seconds(2))
    #expect(
      plugin.configuration.keys.map(\.name)
        == ["label_high", "mode", "wait", "cache", "words", "must"])
    #expect(plugin.configuration["label_high"]?.defaultValue == 0.7)
    #expect(plugin.configuration["label_high"]?.range?.description == "0..1")
    #expect(plugin.configuration["label_high"]?.doc == "Scores from here on are labelled high.")
    #expect(plugin.configuration["mode"]?.type == .enumeration(["strict", "lenient"]))
    #expect(plugin.configuration["wait"]?.defaultValue == "90s")
    #expect(plugin.configuration["cache"]?.defaultValue == 65536)
    #expect(plugin.configuration["words"]?.defaultValue == ["a", "no"])
    #expect(plugin.configuration["must"]?.defaultValue == nil)
    #expect(plugin.configuration.sensitiveNames == ["mode"])
  }

  @Test(arguments: [
    "kith.host.v1.Host", "kith.worker.v1.Lifecycle", "kith.events.v1.Events",
    "kith.identity.v2.Any",
  ])
  func servicesOfThePlatformAreNotAPluginsToProvide(_ service: String) throws {
    let text = "plugin: a\nversion: 1.0.0\nexecutable: a-worker\nprovides: [x.Own, \(service)]\n"
    do throws(ManifestErrors) {
      _ = try PluginManifest(parsing: text, file: "plugin.yaml")
      Issue.record("read")
    } catch {
      let error = try #require(error.errors.first)
      #expect(error.code == .duplicateService && error.location?.line == 4, "\(error)")
      #expect(error.description.contains("\(service), which belongs to the platform"), "\(error)")
    }
    // To require one is another matter.
    let plugin = try PluginManifest(
      parsing: "plugin: a\nversion: 1.0.0\nexecutable: a-worker\nrequires: [\(service)]\n",
      file: "plugin.yaml")
    #expect(plugin.requires.map(\.name) == [service])
  }

  @Test func readsHowItIsSupervised() throws {
    let plugin = try PluginManifest(
      parsing: """
        plugin: a
        version: 0.1.0
        executable: a-worker
        requires:
          - x.Plain
          - { service: x.Held, health: live, on_loss: hold }
        watchdog: off
        restart:
          strategy: all
          intensity: 3
          budgets: { stuck: { intensity: 1, period: 1m }, exit_0: { intensity: 0 } }
          backoff: { shortest: 1s, longest: 2s, healthy_after: 3s }
          quarantine: { shortest: 4s, longest: 5s }
        """, file: "plugin.yaml")
    #expect(
      plugin.requires == [
        Requirement("x.Plain"), Requirement("x.Held", health: .live, onLoss: .hold),
      ])
    #expect(plugin.watchdog == nil)
    #expect(plugin.restart.strategy == .all)
    #expect(
      plugin.restart.budgets == [
        .stuck: RestartPolicy.Budget(intensity: 1, period: .seconds(60)),
        .exitZero: RestartPolicy.Budget(intensity: 0, period: .seconds(30)),
      ])
    #expect(
      plugin.restart.backoff
        == Backoff(
          shortest: .seconds(1), longest: .seconds(2), healthyAfter: .seconds(3),
          shortestQuarantine: .seconds(4), longestQuarantine: .seconds(5)))
    #expect(
      plugin.restart.description
        == "permanent, all, 3 in 30s; stuck 1 in 1m; exit_0 0 in 30s; backoff 1s to 2s, "
        + "anew after 3s; quarantine 4s to 5s")
  }

  @Test func hasDocumentedDefaults() throws {
    let plugin = try PluginManifest(
      parsing: "plugin: a\nversion: 0.1.0\nexecutable: a-worker", file: "plugin.yaml")
    #expect(plugin.provides.isEmpty && plugin.requires.isEmpty)
    #expect(!plugin.overlap)
    #expect(plugin.restart == RestartPolicy())
    #expect(plugin.restart.budget == RestartPolicy.Budget(intensity: 5, period: .seconds(30)))
    #expect(plugin.limits == ResourceLimits())
    #expect(plugin.network == .none)
    #expect(plugin.postures == [.ephemeral, .personal])
    #expect(plugin.startTimeout == .seconds(10) && plugin.stopTimeout == .seconds(10))
    #expect(plugin.watchdog == .seconds(10))
    #expect(plugin.configuration.keys.isEmpty)
  }

  /// What stands in the right manifest, what is put in its place, and the error that it must give.
  private static let wrong: [(String, String, ManifestError.Code, Int, Int, String)] = [
    ("executable:", "exectuable:", .unknownKey, 3, 1, "did you mean 'executable'?"),
    ("executable: risk-engine-worker", "", .missingKey, 1, 1, "'executable' is missing"),
    ("plugin: risk-engine", "plugin: Risk Engine", .outOfRange, 1, 9, "small letters"),
    ("plugin: risk-engine", "plugin: [a]", .wrongType, 1, 9, "a list; expected a text"),
    ("plugin: risk-engine", "plugin:", .wrongType, 1, 8, "nothing; expected a text"),
    ("plugin: risk-engine", "plugin: ../../etc", .outOfRange, 1, 9, "small letters"),
    ("1.0.0", "1.0", .outOfRange, 2, 10, "three numbers"),
    ("1.0.0", "01.0.0", .outOfRange, 2, 10, "three numbers"),
    ("risk-engine-worker", "/bin/sh", .outOfRange, 3, 13, "without a folder"),
    ("risk-engine-worker", "../sh", .outOfRange, 3, 13, "without a folder"),
    ("[kith.risk.v1.RiskEngine]", "kith.risk.v1.RiskEngine", .wrongType, 4, 11, "a list"),
    ("[kith.risk.v1.RiskEngine]", "[RiskEngine]", .outOfRange, 4, 12, "full name"),
    ("[kith.risk.v1.RiskEngine]", "[a.B, a.B]", .duplicateService, 4, 17, "twice"),
    ("overlap: true", "overlap: yes", .wrongType, 6, 10, "expected true or false"),
    ("overlap: true", "overlap: \"true\"", .wrongType, 6, 10, "a text in quotes"),
    ("overlap: true", "overlap: True", .wrongType, 6, 10, "expected true or false"),
    ("permanent", "permanant", .outOfRange, 7, 18, "did you mean 'permanent'?"),
    ("one_for_one", "one-for-one", .outOfRange, 7, 39, "did you mean 'one_for_one'?"),
    ("intensity: 5", "intensity: five", .wrongType, 7, 63, "a whole number"),
    ("intensity: 5", "intensity: \"5\"", .wrongType, 7, 63, "without quotes"),
    ("intensity: 5", "intensity: 05", .wrongType, 7, 63, "octal"),
    ("intensity: 5", "intensity: 0x5", .wrongType, 7, 63, "in decimal"),
    ("intensity: 5", "intensity: 1_000", .wrongType, 7, 63, "in decimal"),
    ("intensity: 5", "intensity: 5.0", .wrongType, 7, 63, "a whole number"),
    ("intensity: 5", "intensity: -1", .outOfRange, 7, 63, "0..1000"),
    ("intensity: 5", "intensity: 1001", .outOfRange, 7, 63, "0..1000"),
    (
      "intensity: 5", "intensity: 99999999999999999999999", .outOfRange, 7, 63,
      "at most 20 digits"
    ),
    ("period: 30s", "period: 30", .wrongType, 7, 74, "a time with its unit"),
    ("period: 30s", "period: 30 sec", .wrongType, 7, 74, "a time with its unit"),
    ("period: 30s", "period: 10ms", .outOfRange, 7, 74, "'period'"),
    ("period: 30s", "periods: 30s", .unknownKey, 7, 66, "did you mean 'period'?"),
    ("restart: {", "restart: [{", .syntax, 8, 1, "expected ',' or ']'"),
    ("one_for_one", "one_for_all", .outOfRange, 7, 39, "one_for_one, rest_for_one, all"),
    ("period: 30s", "budgets: { stuk: {} }", .unknownKey, 7, 77, "did you mean 'stuck'?"),
    ("period: 30s", "budgets: { stuck: { intensity: x } }", .wrongType, 7, 97, "a whole number"),
    ("period: 30s", "backoff: { shortest: 1m }", .outOfRange, 7, 87, "'shortest'"),
    ("period: 30s", "quarantine: { longest: 1 }", .wrongType, 7, 89, "with its unit"),
    ("requires: []", "requires: [{ helth: live }]", .missingKey, 5, 12, "'service' is missing"),
    (
      "requires: []", "requires: [{ service: a.B, health: alive }]", .outOfRange, 5, 36,
      "did you mean 'live'?"
    ),
    (
      "requires: []", "requires: [{ service: a.B, on_loss: stop }]", .outOfRange, 5, 37,
      "one of ignore, hold, restart"
    ),
    ("network: none", "watchdog: 10ms", .outOfRange, 9, 11, "'watchdog'"),
    ("network: none", "watchdog: never", .wrongType, 9, 11, "a time with its unit"),
    ("256MiB", "256", .wrongType, 8, 19, "with its unit"),
    ("256MiB", "256mib", .wrongType, 8, 19, "with its unit"),
    ("256MiB", "1KiB", .outOfRange, 8, 19, "16MiB at least"),
    ("open_files: 256", "open_files: 1", .outOfRange, 8, 39, "64..1048576"),
    ("network: none", "network: off", .outOfRange, 9, 10, "expected none, outbound, or {"),
    ("network: none", "network: { }", .missingKey, 9, 10, "names neither hosts nor ports"),
    ("type: double", "type: float", .outOfRange, 11, 23, "one of string"),
    ("type: double", "type: duoble", .outOfRange, 11, 23, "did you mean 'double'?"),
    ("type: double, ", "", .missingKey, 11, 15, "'type' is missing"),
    ("type: double", "type: enum", .missingKey, 11, 23, "needs its 'values'"),
    ("type: double", "type: double, values: [a]", .unknownKey, 11, 31, "only for the type enum"),
    ("type: double", "type: int", .wrongType, 11, 50, "a whole number"),
    ("0.70", "\"0.70\"", .wrongType, 11, 53, "without quotes"),
    ("0.70", "1.5", .outOfRange, 11, 53, "expected 0..1"),
    ("0.70", "1e999", .outOfRange, 11, 53, "a double"),
    ("0.70", ".nan", .wrongType, 11, 53, "a number"),
    ("range: 0..1", "range: 1..0", .wrongType, 11, 38, "two bounds"),
    ("range: 0..1", "range: 0-1", .wrongType, 11, 38, "two bounds"),
    ("range: 0..1", "range: ..", .wrongType, 11, 38, "two bounds"),
    ("label_high:", "Label-High:", .outOfRange, 11, 3, "underscores"),
    ("default:", "defualt:", .unknownKey, 11, 44, "did you mean 'default'?"),
    ("doc:", "sensitive: 1, doc:", .wrongType, 11, 70, "true or false"),
    ("network: none", "network: none\nnetwork: none", .duplicateKey, 10, 1, "first in line 9"),
    ("network: none", "network: none\n\"network\": none", .duplicateKey, 10, 1, "first in line 9"),
    ("network: none", "network: *other", .syntax, 9, 10, "names no anchor"),
    ("network: none", "network: !secret none", .syntax, 9, 10, "tags"),
    ("network: none", "<<: { network: none }", .syntax, 9, 1, "merge keys"),
    ("network: none", "[a]: none", .syntax, 9, 1, "a name"),
    ("network: none", "network: none\n\tx: 1", .syntax, 10, 1, "a tab character"),
    ("network: none", "network: none\n---\na: 1", .syntax, 10, 1, "second document"),
    ("network: none", "network: \u{1}", .syntax, 9, 10, "control characters"),
  ]

  @Test(arguments: wrong)
  func refusesWhatIsWrong(
    right: String, wrong: String, code: ManifestError.Code, line: Int, column: Int, text: String
  ) throws {
    let manifest = Samples.plugin.replacing(right, with: wrong, maxReplacements: 1)
    try #require(manifest != Samples.plugin)
    let found = errors { _ = try PluginManifest(parsing: manifest, file: "plugin.yaml") }
    #expect(
      found.contains {
        $0.code == code && $0.location?.line == line && $0.location?.column == column
          && $0.description.contains(text)
      }, "\(found)")
  }

  @Test func tellsAllErrorsAtOnceInOrderOfPlace() {
    let found = errors {
      _ = try PluginManifest(
        parsing: """
          plugin: risk-engine
          version: 1
          executable: bin/x
          overlap: yes
          limit: {}
          config:
            a: { type: int, default: x }
            b: { type: bol }
          """, file: "plugin.yaml")
    }
    #expect(found.compactMap(\.location?.line) == [2, 3, 4, 5, 7, 8])
    #expect(
      found.map(\.code)
        == [.outOfRange, .outOfRange, .wrongType, .unknownKey, .wrongType, .outOfRange])
    #expect(
      found[3].description
        == "plugin.yaml:5:1: unknown key 'limit'; expected one of plugin, version, executable, "
        + "provides, requires, postures, overlap, restart, limits, store, network, http, programs, acts_for, "
        + "start_timeout, stop_timeout, watchdog, config; did you mean 'limits'?")
  }

  @Test(arguments: [
    ("", ManifestError.Code.syntax), ("# nothing", .syntax), ("- a", .wrongType),
    ("text", .wrongType), ("a: [", .syntax), ("\"", .syntax), ("%", .syntax), ("a: b: c", .syntax),
    ("\0", .syntax), ("&a", .wrongType), ("*a", .syntax), ("?", .unknownKey), ("{}", .missingKey),
  ])
  func refusesWhatIsNoPlugin(text: String, code: ManifestError.Code) {
    let found = errors { _ = try PluginManifest(parsing: text, file: "plugin.yaml") }
    #expect(found.contains { $0.code == code }, "\(found)")
  }

  @Test func textsAreWhatTheyLookLike() throws {
    let plugin = try PluginManifest(
      parsing: """
        plugin: "no"
        version: '1.10.0'
        executable: yes
        config:
          country: { type: string, default: no }
          code: { type: string, default: 010 }
          empty: { type: string, default: "" }
        """, file: "plugin.yaml")
    #expect(plugin.name == "no" && plugin.version == "1.10.0" && plugin.executable == "yes")
    #expect(plugin.configuration["country"]?.defaultValue == "no")
    #expect(plugin.configuration["code"]?.defaultValue == "010")
    #expect(plugin.configuration["empty"]?.defaultValue == "")
  }

  @Test func anchorsAndAliasesAreUnfolded() throws {
    let plugin = try PluginManifest(
      parsing: """
        plugin: a
        version: 1.0.0
        executable: a
        config:
          low: &score { type: double, range: 0..1, default: 0.5 }
          high: *score
        """, file: "plugin.yaml")
    #expect(plugin.configuration["high"]?.defaultValue == 0.5)
  }
}

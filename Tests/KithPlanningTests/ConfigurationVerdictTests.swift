import KithJSON
import KithManifest
import ManifestSamples
import Testing

@testable import KithPlanning

/// What is made of the answers of workers' programs.
@Suite struct ConfigurationVerdictTests {
  private func plan() throws -> Plan {
    let plugin = try PluginManifest(
      parsing: """
        plugin: a
        version: 1.0.0
        executable: a
        config:
          zone: { type: string, default: UTC }
          token: { type: string, sensitive: true }
        """, file: "plugin.yaml")
    return try Plan(
      product: try ProductManifest(
        parsing: "product: p\nworkers:\n  a:\n    config: { token: abc }\n", file: "p.yaml"),
      catalogue: PluginCatalogue(plugins: [
        CataloguedPlugin(manifest: plugin, directory: "/a", executablePath: "/a/a")
      ]))
  }

  private func verdict(_ answer: String) -> ConfigurationVerdict {
    ConfigurationVerdict(worker: "a", answer: Array(answer.utf8))
  }

  private func errors(_ problems: String) throws -> [String] {
    try plan().errors(of: [verdict("{ \"checked\": true, \"problems\": [\(problems)] }")])
      .map(\.description)
  }

  @Test func aProblemStandsWhereItsValueStands() throws {
    #expect(
      try errors(#"{ "key": "token", "reason": "abc is short" }"#)
        == ["p.yaml:4:22: a refuses 'token': its value is refused"])
    #expect(
      try errors(#"{ "key": "zone", "reason": "unknown zone" }"#)
        == ["p.yaml:3:3: a refuses 'zone': unknown zone"])
    #expect(
      try errors(#"{ "key": "", "reason": "no" }, { "key": "zoom", "reason": "no" }"#)
        == Array(repeating: "p.yaml:3:3: a refuses the configuration: no", count: 2))
  }

  @Test func anAnswerIsCutAndKeepsToItsLine() throws {
    let long = String(repeating: "x", count: 1000)
    let problem = #"{ "key": "zone", "reason": "one\ntwo\u001b[2J\u202e\#(long)" }"#
    let found = try errors(Array(repeating: problem, count: 100).joined(separator: ","))
    #expect(found.count == ConfigurationVerdict.mostProblems)
    let text = try #require(found.first)
    #expect(text.contains("one two [2J x") && text.count < 400, "\(text)")
    #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202e })
  }

  @Test(arguments: [
    "", "{", "null", "[]", #"{ "checked": true }"#, #"{ "checked": true, "problems": {} }"#,
    #"{ "checked": "yes", "problems": [] }"#,
  ])
  func whatIsNoAnswerIsANote(_ text: String) throws {
    let notes = try plan().notes(on: [verdict(text)])
    #expect(
      notes == [
        "the configuration of a was not checked: its answer is not the JSON of a configuration check"
      ])
  }

  @Test(
    arguments: [
      .passed, .notOffered, .unknown("a reason"), .refused([.init(key: "k", reason: "r")]),
    ] as [ConfigurationVerdict.Outcome])
  func aVerdictSurvivesItsLine(_ outcome: ConfigurationVerdict.Outcome) throws {
    let verdict = ConfigurationVerdict(worker: "a", outcome)
    #expect(ConfigurationVerdict(try JSONValue(parsing: verdict.json.text())) == verdict)
  }

  @Test func aWorkerThatIsNotPlannedIsPassedOver() throws {
    let strange = ConfigurationVerdict(worker: "b", .refused([.init(key: "k", reason: "r")]))
    #expect(try plan().errors(of: [strange]).isEmpty)
  }
}

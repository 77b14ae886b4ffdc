import KithManifest
import KithPlanning
import KithTesting
import Testing

@testable import KithHost

/// Programs that are asked whether they take a configuration, whatever they do instead of an
/// answer.
@Suite struct ConfigurationTrialTests {
  private let folder: KithTesting.TemporaryFolder

  init() throws { folder = try KithTesting.TemporaryFolder() }

  /// What comes of a program that is this script.
  private func outcome(
    _ script: String, config: String = "{ level: { type: int, default: 3 } }",
    within limit: Duration = .seconds(60)
  ) throws -> ConfigurationVerdict.Outcome {
    try folder.write("#!/bin/sh\n\(script)\n", to: "a/bin/a-worker", mode: 0o755)
    let manifest = try PluginManifest(
      parsing: "plugin: a\nversion: 0.1.0\nexecutable: a-worker\nconfig: \(config)\n",
      file: "plugin.yaml")
    let plan = try Plan(
      product: try ProductManifest(
        parsing: "product: sample\nworkers: { a: {} }\n", file: "sample.yaml"),
      catalogue: PluginCatalogue(plugins: [
        CataloguedPlugin(
          manifest: manifest, directory: "\(folder.path)/a",
          executablePath: "\(folder.path)/a/bin/a-worker")
      ]))
    let settings = try HostSettings(
      plan: plan,
      places: ProductPlaces(product: "sample", root: "\(folder.path)/r", environment: [:]),
      environment: ["PATH": "/usr/bin:/bin"])
    let verdicts = ConfigurationTrials.verdicts(of: settings, within: limit)
    #expect(verdicts.map(\.worker) == ["a"])
    return try #require(verdicts.first).outcome
  }

  private static let passed = #"echo '{ "checked": true, "problems": [] }'"#

  @Test func theProgramReadsTheConfigurationAndAnswers() throws {
    #expect(
      try outcome(#"[ "$*" = --check-configuration ] && grep -q '"level":3' && \#(Self.passed)"#)
        == .passed)
    let refused =
      #"echo '{ "checked": true, "problems": [{ "key": "level", "reason": "too high" }] }'"#
    #expect(
      try outcome(refused) == .refused([.init(key: "level", reason: "too high")]))
  }

  @Test(arguments: [
    "exit 64", #"echo '{ "checked": false, "problems": [] }'"#,
  ])
  func aProgramMayOfferNoCheck(_ script: String) throws {
    #expect(try outcome(script) == .notOffered)
  }

  @Test func withoutKeysNothingIsRun() throws {
    #expect(try outcome("kill -9 $$", config: "{}") == .notOffered)
  }

  @Test(arguments: [
    ("echo hello", "is not the JSON"), ("echo '[[[[['", "is not the JSON"),
    ("printf '\\377\\376'", "is not the JSON"), ("echo '{ \"checked\": 3 }'", "is not the JSON"),
    ("true", "is not the JSON"), ("exec yes", "longer than 65536 bytes"),
    ("exit 3", "exit code 3"), ("echo late; exit 64", "exit code 64"),
    ("kill -9 $$", "signal 9"),
  ])
  func whatIsNoAnswerIsSaid(_ script: String, _ words: String) throws {
    guard case .unknown(let reason) = try outcome(script) else {
      Issue.record("\(script) counts as an answer")
      return
    }
    #expect(reason.contains(words), "\(reason)")
  }

  /// Also what left the process group, and holds the output open, ends with the check.
  @Test(arguments: ["exec sleep 4717", "setsid sleep 4717 & \(passed)"])
  func whatNeverAnswersIsEndedWithAllThatItStarted(_ script: String) async throws {
    #expect(
      try outcome(script, within: .milliseconds(300))
        == .unknown("it did not answer within 300ms"))
    let left = try await Program("pgrep", ["-x", "-f", "sleep 4717"]).run()
    #expect(left.output.isEmpty, "\(left)")
  }

  @Test func itRunsInTheSandboxOfTheWorker() throws {
    let script = """
      touch "$0.made" /tmp/kith-made 2>/dev/null && exit 9
      cat \(folder.path)/secret 2>/dev/null && exit 8
      \(Self.passed)
      """
    try folder.write("secret", to: "secret")
    #expect(try outcome(script) == .passed)
  }
}

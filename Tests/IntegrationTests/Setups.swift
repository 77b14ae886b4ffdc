import HostContract
import KithJSON
import KithManifest
import KithRPC
import KithTesting
import RiskContract

/// Products of the misbehaving worker, and of scripts that are no workers at all.
enum Setups {
  /// A product of one worker, `odd`, that the SDK runs.
  static func odd(
    atStart: String = "nothing", restart: String = "{ intensity: 5, period: 30s }",
    startTimeout: String = "20s", stopTimeout: String = "5s", more: String = ""
  ) -> ProductSetup {
    ProductSetup(
      product: """
        product: test
        title: Test
        posture: ephemeral
        workers:
          odd:
            config: { at_start: \(atStart) }

        """,
      plugins: [
        plugin(
          name: "odd", executable: "misbehaving-worker", restart: restart,
          startTimeout: startTimeout, stopTimeout: stopTimeout, more: more)
      ])
  }

  /// A product of two workers, `odd` and `even`, each of which serves something else.
  static func two() -> ProductSetup {
    var setup = odd()
    setup.product += "  even: {}\n"
    setup.plugins = [
      plugin(name: "odd", executable: "misbehaving-worker", provides: "kith.risk.v1.RiskEngine"),
      plugin(name: "even", executable: "misbehaving-worker", provides: "kith.testing.v1.Streams"),
    ]
    return setup
  }

  /// A product of `odd` and of `upper`, which requires it and stands before it in the manifest;
  /// `more` is for `odd`.
  static func upper(requiring requires: String, more: String = "") -> ProductSetup {
    ProductSetup(
      product: """
        product: test
        title: Test
        posture: ephemeral
        workers:
          upper: {}
          odd: {}

        """,
      plugins: [
        plugin(name: "odd", executable: "misbehaving-worker", more: more),
        plugin(
          name: "upper", executable: "misbehaving-worker", provides: "", requires: requires),
      ])
  }

  /// A product of one worker, `odd`, that the SDK runs and that keeps state: its list, and its
  /// record of answers.
  static func oddWithState(
    restart: String = "{ intensity: 5, period: 30s }", more: String = ""
  ) -> ProductSetup {
    ProductSetup(
      product: "product: test\ntitle: Test\nposture: personal\nworkers:\n  odd:\n",
      plugins: [
        plugin(
          name: "odd", executable: "misbehaving-worker", provides: "kith.testing.v1.Once",
          restart: restart, postures: "personal", more: more)
      ])
  }

  /// A product of `odd`, which keeps state and tells of it, and `even`, which follows what it
  /// tells.
  static func follower() -> ProductSetup {
    var setup = oddWithState()
    setup.product += "  even:\n    config: { at_start: follow }\n"
    setup.plugins = [
      plugin(
        name: "odd", executable: "misbehaving-worker", provides: "kith.testing.v1.Once",
        restart: "{ intensity: 1000, period: 30s, backoff: { shortest: 1ms, longest: 2ms } }",
        postures: "personal"),
      plugin(
        name: "even", executable: "misbehaving-worker", provides: "",
        requires: "kith.testing.v1.Once",
        restart: "{ intensity: 1000, period: 30s, backoff: { shortest: 1ms, longest: 2ms } }",
        postures: "personal"),
    ]
    return setup
  }

  /// A product of three: a diary, whose every entry the family tells of ten minutes later, and the
  /// risk engine.
  static var diary: ProductSetup {
    ProductSetup(
      workers: ["risk-engine": "risk-engine", "diary": "diary", "family": "family"],
      posture: .personal,
      plugins: [
        plugin(
          name: "diary", executable: "misbehaving-worker", provides: "kith.testing.v1.Once",
          postures: "personal"),
        plugin(
          name: "family", executable: "misbehaving-worker", provides: "",
          requires: "kith.testing.v1.Once", postures: "personal"),
      ]
    ).configuring("family", ["at_start": "follow"])
  }

  /// A product of one worker, `odd`, that is a shell script.
  static func script(
    _ text: String, restart: String = "{ intensity: 1, period: 30s }", startTimeout: String = "20s"
  ) -> ProductSetup {
    var setup = odd(restart: restart, startTimeout: startTimeout)
    setup.plugins = [
      plugin(
        name: "odd", executable: "script", restart: restart, startTimeout: startTimeout,
        scripts: [ProductSetup.Script(name: "script", text: "#!/bin/sh\n\(text)\n")])
    ]
    return setup
  }

  /// A plugin of the misbehaving worker's shape.
  static func plugin(
    name: String, executable: String,
    provides: String = "kith.risk.v1.RiskEngine, kith.testing.v1.Streams",
    requires: String = "", restart: String = "{ intensity: 5, period: 30s }",
    startTimeout: String = "20s", stopTimeout: String = "5s", postures: String = "ephemeral",
    more: String = "", scripts: [ProductSetup.Script] = []
  ) -> ProductSetup.Plugin {
    ProductSetup.Plugin(
      manifest: """
        plugin: \(name)
        version: 1.0.0
        executable: \(executable)
        provides: [\(provides)]
        postures: [\(postures)]
        requires: [\(requires)]
        restart: \(restart)
        start_timeout: \(startTimeout)
        stop_timeout: \(stopTimeout)
        \(more)
        config:
          at_start: { type: string, default: nothing, doc: "What it does at its start." }
          mood: { type: string, default: calm, doc: "What it answers when asked; may change while it runs." }
          token: { type: string, default: "", sensitive: true, doc: "What nobody is to see." }

        """, scripts: scripts)
  }
}

extension RunningProduct {
  /// Tells the worker `odd` what to do; the generation that did it.
  @discardableResult
  func tell(_ text: String, waitForReady: Bool = false) async throws(RPCError) -> UInt64 {
    let response = try await RiskEngineClient(client(of: "odd")).analyze(
      AnalyzeRequest(text: text),
      // Once: what it is told may be to die, and the next incarnation is not to be told the same.
      options: CallOptions(timeout: Self.patience, waitForReady: waitForReady, retry: .never))
    return UInt64(response.engineVersion) ?? 0
  }

  /// As above, for a worker that is about to die: a call that it may have taken along is made
  /// again, as a caller of a method without side effects may.
  func tellUntilHeard(_ text: String) async throws(RPCError) -> UInt64 {
    let end = ContinuousClock.now + Self.patience
    while true {
      do throws(RPCError) {
        return try await tell(text, waitForReady: true)
      } catch {
        guard error.code == .unavailable, .now < end, !Task.isCancelled else { throw error }
      }
    }
  }
}

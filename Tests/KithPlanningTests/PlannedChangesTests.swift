import KithJSON
import KithManifest
import KithPlanning
import ManifestSamples
import Testing

/// What a changed manifest comes to, without anything that runs.
@Suite struct PlannedChangesTests {
  private static let risk = "a.Risk"
  private static let schema = """
    { high: { type: double, default: 0.5 }, low: { type: int, default: 1 },
      token: { type: string, default: one, sensitive: true } }
    """

  private func plan(_ workers: String, more: String = "", risk: String = "") throws -> Plan {
    try Plan(
      product: Samples.product(workers, more: more),
      catalogue: PluginCatalogue(plugins: [
        try Samples.plugin("risk", provides: [Self.risk], config: Self.schema, more: risk),
        try Samples.plugin("caller", requires: [Self.risk]), try Samples.plugin("other"),
      ]))
  }

  private func changes(
    _ old: Plan, _ new: Plan,
    _ state: (inout PlannedChanges.RunningWorker) -> Void = { _ in }
  ) -> PlannedChanges {
    let running = old.workers.map { worker in
      var running = PlannedChanges.RunningWorker(worker)
      state(&running)
      return running
    }
    return PlannedChanges(from: old, running: running, to: new)
  }

  @Test func nothingDiffersFromItself() throws {
    let plan = try plan("  risk:\n  caller:\n")
    #expect(changes(plan, plan).changes.isEmpty)
    #expect(PlannedChanges(starting: plan).changes.map(\.worker) == ["risk", "caller"])
    #expect(PlannedChanges(starting: plan).changes.allSatisfy { $0.kind == .start })
  }

  @Test func whatIsNewStartsAndWhatIsGoneStops() throws {
    let changes = changes(try plan("  risk:\n  caller:\n"), try plan("  risk:\n  other:\n"))
    #expect(
      changes.changes == [
        PlannedChange(.stop, worker: "caller"), PlannedChange(.start, worker: "other"),
      ])
  }

  @Test func stopsCallersBeforeWhatTheyCall() throws {
    let changes = changes(try plan("  risk:\n  caller:\n  other:\n"), try plan("  other:\n"))
    #expect(changes.changes.map(\.worker) == ["caller", "risk"])
  }

  @Test(arguments: [
    ("  risk: { config: { high: 0.7 } }", "config.high", "0.5", "0.7"),
    ("  risk: { limits: { memory: 64MiB } }", "limits.memory", nil, "64MiB"),
    ("  risk: { limits: { memory_high: 1GiB } }", "limits.memory_high", nil, "1GiB"),
    ("  risk: { limits: { open_files: 64 } }", "limits.open_files", nil, "64"),
    ("  risk: { limits: { processes: 64 } }", "limits.processes", nil, "64"),
    ("  risk: { limits: { cpu: 0.5 } }", "limits.cpu", nil, "0.5"),
    ("  risk: { limits: { cpu_weight: 5 } }", "limits.cpu_weight", nil, "5"),
    ("  risk: { watchdog: off }", "watchdog", "10s", "off"),
  ])
  func restarts(worker: String, key: String, old: String?, new: String?) throws {
    let changes = changes(try plan("  risk:\n  caller:\n"), try plan("\(worker)\n  caller:\n"))
    #expect(
      changes.changes == [
        PlannedChange(
          .restart, worker: "risk",
          settings: [PlannedChange.Setting(key: key, old: old, new: new)], callers: ["caller"],
          callersWait: true)
      ])
  }

  @Test(arguments: [
    "restart: { type: transient }", "restart: { intensity: 1 }", "restart: { period: 1m }",
    "restart: { strategy: all }", "restart: { budgets: { stuck: { intensity: 1 } } }",
    "restart: { backoff: { shortest: 1s } }", "restart: { quarantine: { longest: 1h } }",
    "start_timeout: 1s", "stop_timeout: 1s",
  ])
  func adjustsWhatIsTheHostsAlone(setting: String) throws {
    let changes = changes(try plan("  risk:\n"), try plan("  risk: { \(setting) }\n"))
    #expect(changes.changes.map(\.kind) == [.adjust])
    #expect(changes.changes.first?.settings.isEmpty == false)
  }

  @Test func overlapHoldsNobody() throws {
    let changes = changes(
      try plan("  risk:\n  caller:\n", risk: "overlap: true"),
      try plan("  risk: { config: { low: 2 } }\n  caller:\n", risk: "overlap: true"))
    #expect(changes.changes.map(\.callersWait) == [false])
  }

  @Test func reconfiguresOnlyWhatTheProcessTakesOver() throws {
    let old = try plan("  risk:\n")
    let high = try plan("  risk: { config: { high: 0.7 }, start_timeout: 3s }\n")
    let both = try plan("  risk: { config: { high: 0.7, low: 2 } }\n")
    #expect(changes(old, high) { $0.liveKeys = ["high"] }.changes.map(\.kind) == [.reconfigure])
    #expect(changes(old, both) { $0.liveKeys = ["high"] }.changes.map(\.kind) == [.restart])
    #expect(changes(old, high).changes.map(\.kind) == [.restart])
  }

  @Test func whatIsDownIsNotRestarted() throws {
    let old = try plan("  risk:\n")
    let new = try plan("  risk: { config: { high: 0.7 } }\n")
    // In quarantine: it is another one now, and gets a try.
    #expect(changes(old, new) { $0.isUp = false }.changes.map(\.kind) == [.start])
    #expect(
      changes(old, new) {
        $0.isUp = false
        $0.isWanted = false
      }.changes.map(\.kind) == [.adjust])
  }

  @Test func showsNoSecretAndKnowsThatItChanged() throws {
    let changes = changes(
      try plan("  risk: { config: { token: hush } }\n"),
      try plan("  risk: { config: { token: quiet } }\n"))
    #expect(
      changes.changes.first?.settings == [
        PlannedChange.Setting(key: "config.token", old: "<sensitive>", new: "<sensitive>")
      ])
    let shown =
      changes.changes.flatMap(\.lines).joined() + changes.changes.map { $0.json.text() }.joined()
    #expect(!shown.contains("hush") && !shown.contains("quiet"))
    #expect(changes.essence.contains("quiet"))
  }

  @Test func theEssenceTellsAllThatDiffers() throws {
    let old = try plan("  risk:\n")
    let one = changes(old, try plan("  risk: { config: { token: two } }\n"))
    let other = changes(old, try plan("  risk: { config: { token: three } }\n"))
    #expect(one.changes == other.changes)
    #expect(one.essence != other.essence)
  }

  @Test func theProductItselfChangesToo() throws {
    let old = try plan("  risk:\n")
    let new = try plan(
      "  risk:\n",
      more: "title: New\nmetrics: { socket: true }\nalerts: { slow: { measure: p95, above: 5s } }")
    let changes = changes(old, new).changes
    #expect(changes.map(\.kind) == [.adjust] && changes.map(\.worker) == [""])
    #expect(
      changes.first?.settings.map(\.key) == ["title", "metrics.socket", "alerts.slow"])
  }

  @Test func anotherPostureReachesEveryProcess() throws {
    let changes = changes(
      try plan("  risk:\n  other:\n"), try plan("  risk:\n  other:\n", more: "posture: personal"))
    #expect(changes.changes.map(\.kind) == [.restart, .restart])
  }

  @Test func aRemoteServiceReachesWhoRequiresIt() throws {
    let remote = "remote:\n  a.Risk: { address: 'tcp://h:PORT', insecure: true }"
    let old = try plan("  caller:\n  other:\n", more: remote.replacing("PORT", with: "1"))
    let new = try plan("  caller:\n  other:\n", more: remote.replacing("PORT", with: "2"))
    let changes = changes(old, new).changes
    #expect(changes.map(\.worker) == ["", "caller"])
    #expect(changes.map(\.kind) == [.adjust, .restart])
  }

  @Test func isWrittenForAPerson() {
    let change = PlannedChange(
      .restart, worker: "risk",
      settings: [
        PlannedChange.Setting(key: "limits.memory", old: nil, new: "64MiB"),
        PlannedChange.Setting(key: "config.token", old: "<sensitive>", new: "<sensitive>"),
      ], callers: ["caller"], callersWait: true)
    #expect(
      change.lines == [
        "~ restart risk", "    limits.memory: unset -> 64MiB",
        "    config.token: <sensitive>, changed", "    called by caller, held meanwhile",
      ])
  }
}

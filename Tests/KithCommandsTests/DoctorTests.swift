import HostContract
import KithJSON
import Testing

@testable import KithCommands
@testable import KithTerminal

/// `kith doctor`: what an examination comes to.
@Suite struct DoctorTests {
  private let now: Int64 = 1_800_000_000_000

  private func examination(
    _ status: GetStatusResponse = GetStatusResponse(
      product: "milo", hostVersion: KithVersion.current, hostPid: 7,
      workers: [WorkerStatus(name: "reminders", state: .ready, wanted: true)])
  ) -> Examination {
    Examination(
      host: .answers(status), user: 1000, landlock: 7, hasSeccomp: true,
      controllers: ["cpu", "memory", "pids"], now: now, isClockKept: true)
  }

  private func findings(_ examination: Examination) -> [Finding] {
    Diagnosis(examination: examination, options: " --root /r").findings
  }

  /// What was found that is not as it should be.
  private func troubles(_ examination: Examination) -> [Finding] {
    findings(examination).filter { $0.state != .ok }
  }

  @Test func aHealthyProductNeedsNothing() {
    let report = DoctorReport(product: "milo", findings: findings(examination()))
    #expect(troubles(examination()) == [])
    #expect(!report.needsAction)
    #expect(report.lines(Terminal()).last == "Nothing needs action.")
    #expect(report.json["needsAction"] == false)
  }

  @Test func aHostThatDoesNotAnswerNeedsAction() {
    var examination = examination()
    examination.host = .missing("no host is running; start one with `kith up milo`")
    #expect(
      troubles(examination)
        == [Finding("host", .action, "no host is running; start one with `kith up milo`")])
  }

  private static let workers: [(WorkerStatus, Finding.State, String)] = [
    (
      WorkerStatus(name: "a", state: .quarantined, wanted: true, reason: "exit code 4"), .action,
      "a is in quarantine: exit code 4"
    ),
    (
      WorkerStatus(name: "a", state: .backingOff, wanted: true, reason: "exit code 4"), .action,
      "a is backing off: exit code 4"
    ),
    (
      WorkerStatus(
        name: "a", state: .ready, wanted: true,
        health: WorkerHealth(live: true, degradation: "its store was damaged")), .action,
      "a serves with a part missing: its store was damaged"
    ),
    (
      WorkerStatus(name: "a", state: .ready, wanted: true, health: WorkerHealth(live: false)),
      .action, "a shows no progress"
    ),
    (WorkerStatus(name: "a", state: .stopped), .notice, "a was stopped by hand"),
    (WorkerStatus(name: "a", state: .starting, wanted: true), .notice, "a is starting"),
    (
      WorkerStatus(name: "a", state: .stopped, wanted: true), .action, "a is stopped"
    ),
  ]

  @Test(arguments: workers.indices)
  func eachStateOfAWorkerIsToldWithWhatToDo(_ index: Int) throws {
    let (worker, state, text) = Self.workers[index]
    let status = GetStatusResponse(hostVersion: KithVersion.current, workers: [worker])
    let found = try #require(troubles(examination(status)).first)
    #expect((found.check, found.state, found.text) == ("workers", state, text))
    #expect(found.remedy.contains("--root /r"), "\(found)")
  }

  @Test func everyDegradationIsListedWithWhatToDo() {
    let reasons = [
      "no cgroup: cannot open", "no memory controller: limits.memory of all workers is not kept",
      "no pids controller: limits.processes of all workers is not kept",
      "an old Landlock: workers reach ports that are not granted",
      "metrics are not served: the port 9464 is taken",
    ]
    let found = troubles(
      examination(
        GetStatusResponse(
          hostVersion: KithVersion.current,
          workers: [WorkerStatus(name: "a", state: .ready, wanted: true)], degradations: reasons)))
    #expect(found.map(\.text) == reasons)
    #expect(found.map(\.check) == ["limits", "limits", "limits", "sandbox", "host"])
    #expect(found.map(\.state) == [.notice, .notice, .notice, .notice, .action])
    #expect(found.prefix(4).allSatisfy { !$0.remedy.isEmpty })
  }

  @Test func alertsAndLogsAreTold() {
    let found = troubles(
      examination(
        GetStatusResponse(
          hostVersion: KithVersion.current,
          workers: [WorkerStatus(name: "a", state: .ready, wanted: true)],
          logTroubles: [
            LogTrouble(name: "a", reason: "No space left", linesWaiting: 3, linesLost: 1),
            LogTrouble(name: "b", linesLost: 2),
          ],
          alerts: [
            Alert(
              name: "slow", worker: "a", condition: "p95 above 5 s", severity: .page,
              state: .firing, value: "7 s"),
            Alert(
              name: "odd", worker: "a", condition: "errors", severity: .warning, state: .firing),
            Alert(name: "quiet", worker: "a", state: .quiet),
          ])))
    #expect(found.map(\.check) == ["alerts", "alerts", "logs", "logs"])
    #expect(found.map(\.state) == [.action, .notice, .action, .notice])
  }

  @Test(
    arguments: [
      ("state", 127 << 20, .action), ("state", 128 << 20, .notice), ("state", 1023 << 20, .notice),
      ("state", 1 << 30, .ok),
      ("sockets", 7 << 20, .action), ("sockets", 8 << 20, .notice), ("sockets", 63 << 20, .notice),
      ("sockets", 64 << 20, .ok),
    ] as [(String, UInt64, Finding.State)])
  func roomOnADiskHasTwoBounds(_ role: String, _ free: UInt64, _ state: Finding.State) {
    var examination = examination()
    examination.disks = [.init(role: role, path: "/x", freeBytes: free, freeFiles: 1000)]
    #expect(findings(examination).filter { $0.check == "disk" }.map(\.state) == [state])
    examination.disks[0].freeFiles = 999
    #expect(findings(examination).contains { $0.check == "disk" && $0.state == .action })
    examination.disks[0].freeFiles = nil
    examination.disks[0].isReadOnly = true
    #expect(findings(examination).filter { $0.check == "disk" }.map(\.state) == [.action])
  }

  @Test func whatIsOpenToOthersOrAnothersIsTold() {
    var examination = examination()
    examination.places = [
      .init(role: "state", path: "/s", owner: 1000, mode: 0o700, isFolder: true),
      .init(role: "keys", path: "/s/keys", owner: 1000, mode: 0o710, isFolder: true),
      .init(role: "sealing key", path: "/s/keys/k", owner: 1000, mode: 0o604, isFolder: false),
      .init(role: "logs", path: "/s/logs", owner: 0, mode: 0o700, isFolder: true),
    ]
    let found = troubles(examination)
    #expect(found.map(\.state) == [.action, .action, .action])
    #expect(found[0].remedy == "`chmod 700 /s/keys`")
    #expect(found[1].remedy == "`chmod 600 /s/keys/k`")
    #expect(found[2].text.contains("belongs to user 0"))
  }

  @Test func keysDamageAndTheMachineAreLookedAt() {
    var examination = examination()
    examination.missingKey = "/s/keys/sealing.keys"
    examination.damagedFiles = ["/s/workers/a/store.sqlite.damaged-1"]
    examination.landlock = 0
    examination.isClockKept = false
    examination.user = 0
    let found = troubles(examination)
    #expect(found.map(\.check) == ["keys", "damage", "sandbox", "clock", "user"])
    #expect(found.map(\.state) == [.action, .notice, .notice, .notice, .notice])
    #expect(found.allSatisfy { !$0.remedy.isEmpty })
    examination.now = 0
    #expect(troubles(examination).contains { $0.check == "clock" && $0.state == .action })
  }

  @Test func whatNeedsActionComesFirstAndFitsTheTerminal() {
    let findings = [
      Finding("host", .ok, "answers"),
      Finding("disk", .notice, "room", remedy: String(repeating: "make room there ", count: 9)),
      Finding("permissions", .action, "/" + String(repeating: "folder/", count: 20) + "is open"),
    ]
    let lines = DoctorReport(product: "milo", findings: findings).lines(Terminal(width: 80))
    #expect(lines.first?.hasPrefix("ACTION  permissions") == true)
    #expect(lines.allSatisfy { TextWidth.columns($0) <= 80 }, "\(lines)")
    #expect(lines.last == "1 needs action; 1 to know of.")
    let json = DoctorReport(product: "milo", findings: findings).json
    #expect(json["needsAction"] == true)
    // What is only to be known of needs nobody.
    #expect(!DoctorReport(product: "milo", findings: Array(findings.prefix(2))).needsAction)
    #expect(
      json["findings"]?.arrayValue?.compactMap { $0["state"]?.stringValue }
        == ["action", "notice", "ok"])
  }
}

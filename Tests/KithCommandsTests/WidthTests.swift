import ArgumentParser
import HostContract
import KithManifest
import KithPlanning
import Testing

@testable import KithCommands
@testable import KithTerminal

/// What is written keeps to a terminal of 80 columns.
@Suite struct WidthTests {
  private let terminal = Terminal(width: 80)
  private let now: Int64 = 1_800_000_000_000
  private static let long = "a-worker-with-a-name-of-quite-some-length-as-people-give-them"

  private func tooWide(_ lines: some Sequence<String>) -> [String] {
    lines.flatMap { $0.split(separator: "\n") }.map(String.init)
      .filter { TextWidth.columns($0) > 80 }
  }

  private var worker: WorkerStatus {
    WorkerStatus(
      name: Self.long, state: .backingOff, wanted: true, pid: 4_194_304,
      sinceMs: now - 90_061_000, restarts: 1_000_000, reason: String(repeating: "why ", count: 40),
      residentBytes: 1023 << 20)
  }

  @Test func aStatusFits() {
    let status = GetStatusResponse(
      product: Self.long, title: String(repeating: "Title ", count: 12), hostVersion: "0.1.0",
      hostPid: 4_194_304, hostStartedAtMs: now - 90_061_000, workers: [worker],
      alerts: [
        Alert(
          name: "slow", worker: Self.long, condition: "p95 above 5 s over 5 min", severity: .page,
          state: .firing, value: "7.5 s")
      ], degradations: [String(repeating: "kept by nothing ", count: 12)])
    let lines = StatusReport(status: status, terminal: terminal, now: now).lines
    #expect(tooWide(lines) == [])
    #expect(tooWide(AlertsCommand.table(status.alerts, now: now).lines(terminal)) == [])
  }

  @Test func aNameIsCutAndNotLost() {
    let lines = StatusReport.table([worker], now: now).lines(terminal)
    #expect(tooWide(lines) == [])
    let column = lines.dropFirst().prefix { !$0.hasPrefix("    ") }
      .map { $0.prefix { $0 != " " } }.joined()
    #expect(column == Self.long)
    // What searches a pipe for a name finds it.
    let pipe = StatusReport.table([worker], now: now).lines(Terminal(breaksTables: false))
    #expect(pipe.contains { $0.hasPrefix(Self.long + "  ") })
  }

  @Test func aTableThatFitsIsLeftAsItIs() {
    let table = Table(
      columns: [.init(title: "A"), .init(title: "B", isNumeric: true)],
      rows: [.init(cells: [.init(String(repeating: "x", count: 74)), .init("1234")])])
    #expect(table.lines(terminal).last == String(repeating: "x", count: 74) + "  1234")
    #expect(table.lines(Terminal(width: 79)).count == 3)
  }

  @Test func severalDegradationsAreOneLine() {
    func lines(_ degradations: [String]) -> [String] {
      StatusReport(
        status: GetStatusResponse(
          product: "milo", title: "Milo", workers: [WorkerStatus(name: "a", state: .ready)],
          degradations: degradations), terminal: terminal, now: now
      ).lines.filter { $0.contains("degraded") }
    }
    #expect(lines([]) == [])
    #expect(lines(["no cgroup"]) == ["degraded: no cgroup"])
    #expect(
      lines(["a", "b", "c", "d", "e"])
        == ["degraded: 5 things that should be kept are not; `kith doctor` lists them"])
    // What somebody can mend is no limit of the machine, and is shown whatever else there is.
    #expect(
      lines(["a", "metrics are not served: the port is taken", "b"])
        == [
          "degraded: metrics are not served: the port is taken",
          "degraded: 2 things that should be kept are not; `kith doctor` lists them",
        ])
  }

  @Test(arguments: KithCommand.shownNames)
  func helpFits(_ command: String) throws {
    for arguments in [[command, "--help"], ["clock", "advance", "--help"], ["--help"]] {
      let error = try #require(throws: (any Error).self) {
        // The parser answers with a command that throws the help.
        var command = try KithCommand.parseAsRoot(arguments)
        try command.run()
      }
      let text = UsageText.wrapped(
        KithCommand.fullMessage(for: error, columns: 80), width: 80)
      #expect(tooWide([text]) == [])
      #expect(text.contains("USAGE: kith"))
    }
  }

  @Test func usageBreaksBetweenOptions() {
    #expect(
      UsageText.wrapped("USAGE: kith up <product> [--root <dir>] [--json]\nx y", width: 32)
        == "USAGE: kith up <product>\n       [--root <dir>] [--json]\nx y")
  }

  @Test func exitCodesFit() {
    #expect(tooWide(ExitCodesCommand.table) == [])
  }

  @Test func whatToTryNextIsNeverBroken() {
    let rows = [("kith --root /a status", "how it is"), ("kith --root /a down", "the end")]
    #expect(
      UpCommand.lines(of: rows, terminal)
        == ["  kith --root /a status   how it is", "  kith --root /a down     the end"])
    let deep = "kith --root /" + String(repeating: "d", count: 55) + " down"
    #expect(
      UpCommand.lines(of: [(deep, "the end of it")], terminal)
        == ["  \(deep)", "      the end of it"])
  }

  @Test func aPlanAndItsChangesFit() throws {
    let change = KithPlanning.PlannedChange(
      .restart, worker: "risk-engine",
      settings: [
        .init(
          key: "network", old: "none",
          new: "api.example.com, push.example.com, mail.example.com at ports 25, 443, 587, 8443")
      ], callers: (0..<12).map { "caller-\($0)" }, callersWait: true)
    #expect(tooWide(ChangesReport(terminal: terminal).lines([change])) == [])
  }
}

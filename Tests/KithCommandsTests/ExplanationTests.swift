import HostContract
import Testing

@testable import KithCommands
@testable import KithTerminal

/// `kith why`.
@Suite struct ExplanationTests {
  private let now: Int64 = 1_800_000_000_000

  @Test func aChainLeadsFromTheStateToItsCauses() {
    let status = GetStatusResponse(
      workers: [
        WorkerStatus(
          name: "store", state: .quarantined, wanted: true, sinceMs: now - 5000,
          lastExit: WorkerExit(
            generation: 4, atMs: now - 5000, cause: .signal(9), description: "killed by SIGKILL",
            lastLines: ["the disk is gone"]), nextStartAtMs: now + 55_000,
          reason: "restarted 3 times within 30 s, then: killed by SIGKILL",
          budget: RestartBudget(used: 3, allowed: 3, periodMs: 30_000)),
        WorkerStatus(
          name: "reminders", state: .waiting, wanted: true, sinceMs: now - 4000,
          reason: "waits for store", requires: ["store"],
          request: WorkerRequest(what: "restart", atMs: now - 9000, pid: 77, uid: 1000)),
      ])
    let explanation = Explanation(status: status, terminal: Terminal(), now: now)
    #expect(
      explanation.lines(of: status.workers[1]) == [
        "reminders is waiting, since 4 s",
        "  - waits for store",
        "  - `kith restart` was asked for it 9 s ago by process 77 of user 1000",
        "  store is quarantined, since 5 s",
        "    - restarted 3 times within 30 s, then: killed by SIGKILL",
        "    - generation 4 ended 5 s ago: killed by SIGKILL",
        "      | the disk is gone",
        "    - starts again in 55 s",
        "    - 3 of 3 restarts within 30 s are used",
        "    - the manifest wants it up",
        "    - `kith start store` tries at once",
      ])
  }

  @Test func aLongReasonIsSaidOnceWithCommandsThatFindTheProduct() {
    let reason =
      "it could not start: /r/workers/store/store.sqlite is not whole: end the product with `kith down`, then restore a backup"
    let worker = WorkerStatus(
      name: "store", state: .quarantined, wanted: true, sinceMs: now - 5000,
      lastExit: WorkerExit(
        generation: 4, atMs: now - 5000, cause: .exitCode(0), description: reason,
        lastLines: ["listening", "could not start reason=\"\(reason.dropFirst(20))\"", "drained"]),
      reason: "restarted 3 times within 30 s, then: \(reason)")
    let status = GetStatusResponse(workers: [worker])
    let why = Explanation(status: status, terminal: Terminal(), options: " --root /r", now: now)
      .lines(of: worker).joined(separator: "\n")
    let report = StatusReport(
      status: status, terminal: Terminal(), options: " --root /r", now: now
    ).lines.joined(separator: "\n")
    for text in [why, report] {
      let words = text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
      #expect(words.ranges(of: "is not whole").count == 1, "\(text)")
      #expect(words.contains("`kith down --root /r`"), "\(text)")
      #expect(text.contains("| listening") && text.contains("| drained"), "\(text)")
    }
    #expect(why.contains("generation 4 ended 5 s ago, for that reason"), "\(why)")
  }

  @Test(arguments: [
    ("see `kith logs kithd`", "see `kith logs kithd --root /r`"),
    ("`kith why a` or `kith down`", "`kith why a --root /r` or `kith down --root /r`"),
    ("`kith down --root /other`", "`kith down --root /other`"),
    ("`kith down --product milo`", "`kith down --product milo`"),
    ("`timedatectl set-ntp true`", "`timedatectl set-ntp true`"),
    ("an open `kith down", "an open `kith down"), ("kith down", "kith down"), ("", ""),
  ])
  func commandsInTextsGetTheRoot(_ text: String, _ expected: String) {
    #expect(CommandHint.located(text, " --root /r") == expected)
    #expect(CommandHint.located(text, "") == text)
  }

  @Test func theRootIsFoundAmongArguments() {
    #expect(CommandHint.root(in: ["status", "--root", "/r"]) == " --root /r")
    #expect(CommandHint.root(in: ["--root=/r", "status"]) == " --root /r")
    #expect(CommandHint.root(in: ["status", "--root"]) == "")
    #expect(CommandHint.root(in: ["a", "say", "--", "--root", "/r"]) == "")
  }
}

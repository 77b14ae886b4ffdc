import HostContract
import Testing

@testable import KithCommands

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
}

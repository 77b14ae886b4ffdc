import Glibc
import HealthContract
import KithSupervision
import Testing

@testable import KithHost

/// The record of one worker, with real processes.
@Suite struct HostedWorkerTests {
  private let reactor: Reactor

  init() throws { reactor = try Reactor(name: "test") }

  private func sleeper(_ generation: UInt64) throws -> RunningProcess {
    let child = try WorkerProcess.spawn(
      WorkerProcess.Launch(
        executable: "/bin/sleep", arguments: ["3600"], environment: [], workingDirectory: "/",
        descriptors: try (0..<3).map { _ throws(SystemError) in
          try Descriptor.open("/dev/null", O_RDWR)
        }))
    return RunningProcess(
      child, .thisHost,
      record: ProcessRecords.Record(
        incarnation: Incarnation(worker: "odd", generation: generation), identity: child.identity,
        socket: "/nowhere/sock", secret: [], digest: "", pluginDirectory: "/"),
      link: nil, groups: ProcessGroups(), exitWatch: try reactor.watch(child.pidfd) {})
  }

  private func end(_ process: RunningProcess) {
    reactor.ignore(process.exitWatch)
    process.child.signal(SIGKILL)
    process.child.reapWhenEnded()
  }

  @Test func aProcessThatEndsIsKeptUntilItsLastReportHasCome() throws {
    defer { reactor.stop() }
    var worker = HostedWorker("odd")
    for generation in [1, 2] as [UInt64] { worker.add(try sleeper(generation)) }
    defer { for process in worker.running { end(process) } }
    worker.listen(to: 1)
    let isFirst = worker.heard(HealthReportMessage(CheckResponse(progress: 3)), from: 1)
    let ended = worker.end(1, at: 17)
    end(try #require(ended))
    #expect(isFirst)
    #expect(worker[1] == nil && worker.running.map(\.incarnation.generation) == [2])
    #expect(worker.end(of: 1) == 17 && worker.end(of: 2) == nil)
    #expect(worker.listensToProcesses(before: 2) && worker.calls.ended == 0)
    let last = CheckResponse(status: .draining, progress: 5, callsInProgress: 2)
    let isFirstAgain = worker.heard(HealthReportMessage(last), from: 1)
    #expect(!isFirstAgain && worker.lastReport(of: 1)?.callsInProgress == 2)
    let conclusion = worker.listeningEnded(.broken, of: 1)
    #expect(conclusion == .over)
    #expect(worker.calls.ended == 5 && worker.calls.cutShort == 2)
    #expect(!worker.listensToProcesses(before: 2) && worker.lastReport(of: 1) == nil)
  }

  @Test func callersAreToldOfOneProcess() throws {
    defer { reactor.stop() }
    var worker = HostedWorker("odd")
    for generation in [1, 2] as [UInt64] { worker.add(try sleeper(generation)) }
    defer { for process in worker.running { end(process) } }
    worker.publish(1)
    worker.publish(2)
    worker.withdraw(1)
    #expect(worker.publishedProcess?.incarnation.generation == 2)
    let ended = worker.end(2, at: 1)
    end(try #require(ended))
    // Until the supervisor withdraws it.
    #expect(worker.published == 2 && worker.publishedProcess == nil)
    worker.withdraw(2)
    #expect(worker.published == nil)
  }

  @Test func timerRunsAreCountedOnce() throws {
    defer { reactor.stop() }
    var process = try sleeper(1)
    defer { end(process) }
    let new = [3, 3, 5, 4].map { process.newTimerRuns($0) }
    #expect(new == [3, 0, 2, 0])
  }
}

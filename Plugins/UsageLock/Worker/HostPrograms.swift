import KithWorker
import UsageLockService

/// The programs that the host lets this worker see, as the lock knows them.
struct HostPrograms: ProgramSource {
  let programs: GuardedPrograms

  func running() async throws -> [SeenProgram] {
    try await programs.running().map {
      SeenProgram(id: "\($0.pid)/\($0.startTicks)", names: $0.names, isStopped: $0.isStopped)
    }
  }

  func carryOut(_ order: ProgramOrder, on program: String) async throws {
    let parts = program.split(separator: "/")
    guard parts.count == 2, let pid = Int32(parts[0]), let ticks = UInt64(parts[1]) else { return }
    let signal: GuardedPrograms.Signal =
      switch order {
      case .freeze: .freeze
      case .resume: .resume
      case .end: .end
      case .kill: .kill
      }
    try await programs.send(signal, toPid: pid, startTicks: ticks)
  }
}

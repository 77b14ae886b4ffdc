@testable import UsageLockService

/// Programs that a test starts, stops and looks after: what was done to them is done.
final class ScriptedPrograms: ProgramSource {
  let programs = Held<[SeenProgram]>([])
  /// What the host refuses with; nil for what it does.
  let refusal = Held<(any Error)?>(nil)

  func running() async throws -> [SeenProgram] {
    if let error = refusal.value { throw error }
    return programs.value
  }

  func carryOut(_ order: ProgramOrder, on program: String) async throws {
    guard let index = programs.value.firstIndex(where: { $0.id == program }) else { return }
    switch order {
    case .freeze: programs.value[index].isStopped = true
    case .resume: programs.value[index].isStopped = false
    case .end, .kill: programs.value.remove(at: index)
    }
  }

  func start(_ name: String, id: String = "7/1") {
    programs.value.append(.init(id: id, names: [name], isStopped: false))
  }

  var isStopped: Bool? { programs.value.first?.isStopped }
}

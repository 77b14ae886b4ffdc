import KithManifest
import KithSupervision
import SupervisionSimulation
import Testing

/// Every order of everything that can happen, to a small depth; `tools/soak schedules` goes deeper.
@Suite struct ExhaustiveTests {
  @Test func noOrderOfEventsBreaksAPromiseForTwoWorkersInARow() async throws {
    let policy = RestartPolicy(strategy: .restForOne, intensity: 1)
    try await explore(
      [
        WorkerSpecification(name: "base", restart: policy),
        WorkerSpecification(
          name: "top", requires: [Requirement("base", onLoss: .hold)], restart: policy,
          overlap: true),
      ], depth: 4)
  }

  @Test func noOrderOfEventsBreaksAPromiseForThreeWorkers() async throws {
    try await explore(Exploration.three, depth: 3)
  }

  private func explore(_ workers: [WorkerSpecification], depth: Int) async throws {
    let exploration = try await Exploration(workers, depth: depth)
    #expect(exploration.violation == nil)
    #expect(exploration.states > 1000)
  }
}

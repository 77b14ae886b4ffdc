import KithManifest
import KithSupervision
import SupervisionSimulation
import Testing

/// Every order of everything that can happen, to a small depth; `tools/soak schedules` goes deeper.
@Suite struct ExhaustiveTests {
  @Test func noOrderOfEventsBreaksAPromiseForTwoWorkersInARow() throws {
    let policy = RestartPolicy(strategy: .restForOne, intensity: 1)
    try explore(
      [
        WorkerSpecification(name: "base", restart: policy),
        WorkerSpecification(
          name: "top", requires: [Requirement("base", onLoss: .hold)], restart: policy,
          overlap: true),
      ], depth: 4)
  }

  @Test func noOrderOfEventsBreaksAPromiseForThreeWorkers() throws {
    try explore(Exploration.three, depth: 3)
  }

  private func explore(_ workers: [WorkerSpecification], depth: Int) throws {
    let exploration = try Exploration(workers, depth: depth)
    #expect(exploration.violation == nil)
    #expect(exploration.states > 1000)
  }
}

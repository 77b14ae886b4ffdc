import Glibc
import KithManifest
import KithSupervision
import Testing

/// Every order of everything that can happen, to a small depth; states met before are not tried again.
@Suite struct ExhaustiveTests {
  @Test func noOrderOfEventsBreaksAPromiseForTwoWorkersInARow() throws {
    let policy = RestartPolicy(strategy: .restForOne, intensity: 1)
    try explore(
      [
        WorkerSpecification(name: "base", restart: policy),
        WorkerSpecification(name: "top", requires: ["base"], restart: policy),
      ], depth: 5 + extraDepth)
  }

  @Test func noOrderOfEventsBreaksAPromiseForThreeWorkers() throws {
    let policy = RestartPolicy(kind: .transient, strategy: .restForOne, intensity: 1)
    try explore(
      [
        WorkerSpecification(name: "base", restart: policy),
        WorkerSpecification(name: "left", requires: ["base"]),
        WorkerSpecification(name: "right", requires: ["base"]),
      ], depth: 4 + extraDepth)
  }

  /// `KITH_EXTRA_DEPTH=1 swift test -c release --filter ExhaustiveTests` looks one event further, which takes minutes.
  private let extraDepth =
    getenv("KITH_EXTRA_DEPTH").flatMap { Int(String(cString: $0)) } ?? 0

  private func explore(_ workers: [WorkerSpecification], depth: Int) throws {
    var world = try SimulatedWorld(workers, seed: 1)
    world.send(.timePassed)
    // From the middle of life as well: everything ready, so that few events reach what matters.
    var lively = world
    for _ in 0..<100 {
      guard case .stepSucceeds(let incarnation)? = lively.happenings(ends: []).first else { break }
      lively.happen(.stepSucceeds(incarnation))
    }
    #expect(lively.supervisor.snapshots.allSatisfy { $0.state == .ready })

    var frontier: [(world: SimulatedWorld, path: [String])] = [
      (world, []), (lively, ["all ready"]),
    ]
    var seen: Set<SimulatedWorld> = []
    for _ in 0..<depth {
      var next: [(world: SimulatedWorld, path: [String])] = []
      for (world, path) in frontier {
        for (name, step) in moves(of: world) {
          var moved = world
          step(&moved)
          if !moved.violations.isEmpty {
            Issue.record(
              "\((path + [name]).joined(separator: " > ")): \(moved.violations.joined(separator: "; "))"
            )
            return
          }
          if seen.insert(moved).inserted { next.append((moved, path + [name])) }
        }
      }
      frontier = next
    }
    #expect(seen.count > 100)
  }

  private func moves(
    of world: SimulatedWorld
  ) -> [(name: String, step: (inout SimulatedWorld) -> Void)] {
    var moves: [(name: String, step: (inout SimulatedWorld) -> Void)] = []
    for happening in world.happenings(ends: [.exitCode(0), .signal(9)]) {
      moves.append(("\(happening)", { $0.happen(happening) }))
    }
    if world.supervisor.nextDeadline != nil {
      moves.append(("deadline", { $0.advanceToNextDeadline() }))
    }
    var orders: [SupervisionEvent] = [.shutDownAsked]
    for name in world.supervisor.startOrder {
      orders += [
        .wantedUp(worker: name), .wantedDown(worker: name), .restartAsked(worker: name),
      ]
    }
    for order in orders { moves.append(("\(order)", { $0.send(order) })) }
    return moves
  }
}

import KithManifest
public import KithSupervision

/// Every order of everything that can happen, to a certain depth; states met before are not tried again.
public struct Exploration: Sendable {
  /// How many different states were met.
  public private(set) var states = 0
  /// How many events were tried.
  public private(set) var events = 0
  /// The first way found to break a promise, and what was broken; nil when there is none.
  public private(set) var violation: String?

  /// Explores from a standing start and from the middle of life, where everything is ready, so that few events reach what
  /// matters.
  public init(_ workers: [WorkerSpecification], depth: Int) throws {
    var still = try SimulatedWorld(workers, seed: 1)
    still.send(.timePassed)
    var lively = still
    lively.calmDown()
    var frontier: [(world: SimulatedWorld, path: [String])] = [
      (still, ["nothing yet"]), (lively, ["all ready"]),
    ]
    // Two hashes rather than the states themselves: seven million of those would not fit.
    var seen: Set<Fingerprint> = []
    for level in 1...depth {
      var next: [(world: SimulatedWorld, path: [String])] = []
      for (world, path) in frontier {
        for move in Self.moves(of: world) {
          var moved = world
          move.step(&moved)
          events += 1
          if !moved.violations.isEmpty {
            violation =
              "\((path + [move.name]).joined(separator: " > ")): \(moved.violations.joined(separator: "; "))"
            return
          }
          guard seen.insert(Fingerprint(moved)).inserted, level < depth else { continue }
          next.append((moved, path + [move.name]))
        }
      }
      frontier = next
    }
    states = seen.count
  }

  /// Three workers in which all kinds of requirement, strategy and overlap meet.
  public static let three = [
    WorkerSpecification(
      name: "base", restart: RestartPolicy(strategy: .restForOne, intensity: 1), overlap: true),
    WorkerSpecification(
      name: "left", requires: [Requirement("base", onLoss: .hold)],
      restart: RestartPolicy(kind: .transient, intensity: 1)),
    WorkerSpecification(
      name: "right", requires: [Requirement("base", health: .live, onLoss: .restart)],
      restart: RestartPolicy(strategy: .all, intensity: 1), overlap: true),
  ]

  private struct Fingerprint: Hashable {
    private let one: Int
    private let other: Int

    init(_ world: SimulatedWorld) {
      one = world.hashValue
      var hasher = Hasher()
      hasher.combine(1)
      hasher.combine(world)
      other = hasher.finalize()
    }
  }

  private static func moves(
    of world: SimulatedWorld
  ) -> [(name: String, step: (inout SimulatedWorld) -> Void)] {
    var moves: [(name: String, step: (inout SimulatedWorld) -> Void)] = []
    for happening in world.happenings(ends: [.exitCode(0), .signal(9)]) {
      moves.append(("\(happening)", { $0.happen(happening) }))
    }
    if world.supervisor.nextDeadline != nil {
      moves.append(("deadline", { $0.advanceToNextDeadline() }))
    }
    var orders: [SupervisionEvent] = [
      .shutDownAsked, .restartAsked(workers: world.supervisor.startOrder),
    ]
    for worker in world.graph.workers {
      var other = worker
      other.revision += 1
      orders += [
        .wantedUp(worker: worker.name), .wantedDown(worker: worker.name),
        .restartAsked(workers: [worker.name]), .replacementAsked(other),
      ]
    }
    for order in orders { moves.append(("\(order)", { $0.send(order) })) }
    return moves
  }
}

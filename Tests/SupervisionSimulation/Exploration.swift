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

  /// The states that were met, and those from which on all was tried: a hash of each, since
  /// millions of them would not fit. Two of so many have the same hash in one run of a million.
  private var seen: Set<Int> = []
  private var expanded: Set<Int> = []
  /// Whether new worlds are kept for the next level.
  private var collects = true

  /// Explores from a standing start and from the middle of life, where everything is ready, so that few events reach what
  /// matters.
  public init(_ workers: [WorkerSpecification], depth: Int) throws {
    var still = try SimulatedWorld(workers, seed: 1)
    still.send(.timePassed)
    var lively = still
    lively.calmDown()
    // Level by level at first; the last two levels are tried depth first, since so many worlds would not fit into memory.
    var frontier: [Met] = [Met(still, ["nothing yet"]), Met(lively, ["all ready"])]
    let deepest = min(2, depth)
    for _ in 0..<(depth - deepest) {
      var next: [Met] = []
      for met in frontier where violation == nil { expand(met, levels: 1, into: &next) }
      frontier = next
    }
    collects = false
    var beyond: [Met] = []
    for met in frontier where violation == nil { expand(met, levels: deepest, into: &beyond) }
    states = seen.count
    seen = []
    expanded = []
  }

  /// A world and how it came to be.
  private struct Met {
    var world: SimulatedWorld
    var path: [String]

    init(_ world: SimulatedWorld, _ path: [String]) {
      self.world = world
      self.path = path
    }
  }

  /// Tries all that can happen in so many events; `next` gets the new worlds of one event, when there is only one.
  private mutating func expand(_ met: Met, levels: Int, into next: inout [Met]) {
    for move in Self.moves(of: met.world) where violation == nil {
      var moved = Met(met.world, met.path + [move.name])
      move.step(&moved.world)
      events += 1
      guard moved.world.violations.isEmpty else {
        violation =
          "\(moved.path.joined(separator: " > ")): \(moved.world.violations.joined(separator: "; "))"
        return
      }
      let print = moved.world.hashValue
      let isNew = seen.insert(print).inserted
      if levels > 1 {
        if expanded.insert(print).inserted { expand(moved, levels: levels - 1, into: &next) }
      } else if isNew && collects {
        expanded.insert(print)
        next.append(moved)
      }
    }
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

  private static func moves(
    of world: SimulatedWorld
  ) -> [(name: String, step: (inout SimulatedWorld) -> Void)] {
    var moves: [(name: String, step: (inout SimulatedWorld) -> Void)] = []
    for happening in world.happenings(ends: [.exitCode(0), .signal(9)]) {
      moves.append(("\(happening)", { $0.happen(happening) }))
    }
    moves.append(("the host dies", { $0.hostDies() }))
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

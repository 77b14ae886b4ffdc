import KithManifest
public import KithSupervision
import Synchronization

/// Every order of everything that can happen, to a certain depth; states met before are not tried
/// again.
public struct Exploration: Sendable {
  /// How many different states were met.
  public private(set) var states = 0
  /// How many events were tried.
  public private(set) var events = 0
  /// The first way found to break a promise, and what was broken; nil when there is none.
  public private(set) var violation: String?

  /// Explores from a standing start and from the middle of life, where everything is ready, so that
  /// few events reach what matters.
  /// - Parameter lanes: how many threads take part.
  public init(_ workers: [WorkerSpecification], depth: Int, lanes: Int = 1) async throws {
    var still = try SimulatedWorld(workers, seed: 1)
    still.send(.timePassed)
    var lively = still
    lively.calmDown()
    // Level by level at first; the last two levels are tried depth first, since so many worlds
    // would not fit into memory.
    var frontier = [Met(Origin(still, "nothing yet")), Met(Origin(lively, "all ready"))]
    let visited = Visited()
    let deepest = min(2, depth)
    for level in 0..<(depth - deepest + 1) where violation == nil {
      let isLast = level == depth - deepest
      frontier = await explore(
        frontier, levels: isLast ? deepest : 1, collects: !isLast, visited, lanes: lanes)
    }
    states = visited.count
  }

  /// Where a story begins.
  private final class Origin: Sendable {
    let world: SimulatedWorld
    let words: String

    init(_ world: SimulatedWorld, _ words: String) {
      self.world = world
      self.words = words
    }
  }

  /// A world and how it came to be.
  private struct Met: Sendable {
    var world: SimulatedWorld
    /// What it was at first, and in words.
    let origin: Origin
    /// Which of the moves that were possible was made, time after time.
    var path: [UInt8] = []

    init(_ origin: Origin) {
      world = origin.world
      self.origin = origin
    }
  }

  /// The states that were met, and those from which on all was tried: a hash of each, since
  /// millions of them would not fit. That two of ten million have the same one happens in one run
  /// of 300,000.
  private final class Visited: Sendable {
    private struct States {
      var met: Set<Int> = []
      var expanded: Set<Int> = []
    }

    /// Apart, so that threads are seldom in each other's way.
    private final class Shard: Sendable {
      let states = Mutex(States())
    }

    private let shards = (0..<64).map { _ in Shard() }

    /// Takes note of a state; whether it is new.
    func meet(_ hash: Int) -> Bool {
      shards[hash & 63].states.withLock { $0.met.insert(hash).inserted }
    }

    /// Takes note that all is tried from a state on; whether nobody does so yet.
    func expand(_ hash: Int) -> Bool {
      shards[hash & 63].states.withLock { $0.expanded.insert(hash).inserted }
    }

    var count: Int { shards.reduce(0) { $0 + $1.states.withLock { $0.met.count } } }
  }

  /// What one thread found.
  private struct Findings: Sendable {
    var next: [Met] = []
    var events = 0
    var violation: String?
  }

  /// Tries all that can happen from these worlds on; answers the new worlds, if they are collected.
  private mutating func explore(
    _ frontier: [Met], levels: Int, collects: Bool, _ visited: Visited, lanes: Int
  ) async -> [Met] {
    await withTaskGroup(of: Findings.self) { group in
      for lane in 0..<lanes {
        group.addTask {
          var findings = Findings()
          for index in stride(from: lane, to: frontier.count, by: lanes)
          where findings.violation == nil {
            Self.expand(
              frontier[index], levels: levels, collects: collects, visited, into: &findings)
          }
          return findings
        }
      }
      var next: [Met] = []
      for await findings in group {
        next += findings.next
        events += findings.events
        violation = violation ?? findings.violation
      }
      return next
    }
  }

  /// Tries all that can happen in so many events.
  private static func expand(
    _ met: Met, levels: Int, collects: Bool, _ visited: Visited, into findings: inout Findings
  ) {
    for (number, move) in moves(of: met.world).enumerated() where findings.violation == nil {
      var moved = met
      moved.path.append(UInt8(clamping: number))
      move.make(in: &moved.world)
      findings.events += 1
      guard moved.world.violations.isEmpty else {
        findings.violation =
          "\(story(of: moved)): \(moved.world.violations.joined(separator: "; "))"
        return
      }
      let hash = moved.world.hashValue
      let isNew = visited.meet(hash)
      if levels > 1 {
        guard visited.expand(hash) else { continue }
        expand(moved, levels: levels - 1, collects: collects, visited, into: &findings)
      } else if isNew && collects {
        _ = visited.expand(hash)
        findings.next.append(moved)
      }
    }
  }

  /// How a world came to be, for people.
  private static func story(of met: Met) -> String {
    var world = met.origin.world
    var words = [met.origin.words]
    for number in met.path {
      let move = moves(of: world)[Int(number)]
      words.append("\(move)")
      move.make(in: &world)
    }
    return words.joined(separator: " > ")
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

  /// One thing that can happen next.
  private enum Move {
    case happening(SimulatedWorld.Happening)
    case hostDies
    case deadline
    case order(SupervisionEvent)

    func make(in world: inout SimulatedWorld) {
      switch self {
      case .happening(let happening): world.happen(happening)
      case .hostDies: world.hostDies()
      case .deadline: world.advanceToNextDeadline()
      case .order(let event): world.send(event)
      }
    }
  }

  private static func moves(of world: SimulatedWorld) -> [Move] {
    var moves = world.happenings(ends: [.exitCode(0), .signal(9)]).map { Move.happening($0) }
    moves.append(.hostDies)
    if world.supervisor.nextDeadline != nil { moves.append(.deadline) }
    moves.append(.order(.shutDownAsked))
    moves.append(.order(.restartAsked(workers: world.supervisor.startOrder)))
    for worker in world.graph.workers {
      var other = worker
      other.revision += 1
      moves.append(.order(.wantedUp(worker: worker.name)))
      moves.append(.order(.wantedDown(worker: worker.name)))
      moves.append(.order(.restartAsked(workers: [worker.name])))
      moves.append(.order(.replacementAsked(other)))
    }
    return moves
  }
}

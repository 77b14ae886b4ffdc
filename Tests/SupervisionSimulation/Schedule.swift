import KithManifest
import KithSupervision

/// A random order of everything that can happen, made from a seed, that can be played again and
/// made smaller.
public struct Schedule: Sendable {
  /// One thing that happens. What it happens to is named by a number, of which the rest of a
  /// division is taken, so that every part of a schedule is a schedule.
  public enum Move: Sendable, Hashable {
    /// Somebody wants a worker up.
    case wantUp(Int)
    /// Somebody wants a worker down.
    case wantDown(Int)
    /// Somebody wants new processes: a bit a worker.
    case restart(Int)
    /// Somebody wants another revision tried.
    case replace(Int, revision: UInt64)
    /// The product's manifest has changed.
    case specify(UInt64)
    /// Something is said about a process that is gone.
    case late(Int)
    /// The time comes that the supervisor waits for.
    case deadline
    /// The host dies, and another one finds its processes.
    case hostDies
    /// Time passes.
    case pass(milliseconds: Int)
    /// The shutdown is asked for.
    case shutDown
    /// A step goes right.
    case success(Int)
    /// Anything happens.
    case happening(Int)
  }

  private static let ends: [ProcessEnd] = [
    .exitCode(0), .exitCode(3), .signal(9), .outOfMemory, .unknown,
  ]

  /// What all is drawn from.
  public let seed: UInt64
  /// What happens, in order.
  public var moves: [Move]
  /// The workers to begin with.
  private let graph: WorkerGraph

  /// The schedule of a seed.
  /// - Parameters:
  ///   - workers: how many workers at most.
  ///   - length: how much happens.
  public init(seed: UInt64, workers: Int = 8, length: Int = 60) {
    self.seed = seed
    var dice = Dice(seed: seed)
    graph = RandomGraph.make(workers: Int.random(in: 1...workers, using: &dice), using: &dice)
    moves = (0..<length).map { _ in Self.move(using: &dice) }
  }

  private static func move(using dice: inout Dice) -> Move {
    let number = Int.random(in: 0..<1_000_000, using: &dice)
    switch Int.random(in: 0..<100, using: &dice) {
    case 0..<4: return .wantDown(number)
    case 4..<8: return .wantUp(number)
    case 8..<15: return .restart(number)
    case 15..<19: return .replace(number, revision: UInt64.random(in: 1...99, using: &dice))
    case 19..<22: return .specify(dice.next())
    case 22..<25: return .late(number)
    case 25..<27: return .hostDies
    case 27..<33: return .deadline
    case 33..<37: return .pass(milliseconds: Int.random(in: 0...9000, using: &dice))
    case 37..<38: return number % 8 == 0 ? .shutDown : .deadline
    // Mostly things go right, else no schedule would ever get anywhere.
    case 38..<76: return .success(number)
    default: return .happening(number)
    }
  }

  /// Plays it to its end, and then lets everything go right; the promises that were broken.
  public func run() -> [String] {
    var world = SimulatedWorld(graph, seed: seed)
    world.send(.timePassed)
    for move in moves where world.violations.isEmpty { Self.play(move, in: &world) }
    if world.violations.isEmpty { world.calmDown() }
    return world.violations
  }

  /// The shortest schedule found that breaks a promise too: moves are left out for as long as one
  /// can be.
  public func shrunk() -> Schedule {
    var best = self
    var size = max(1, moves.count / 2)
    while size > 0 {
      var start = 0
      while start < best.moves.count {
        var shorter = best
        shorter.moves.removeSubrange(start..<min(start + size, best.moves.count))
        if shorter.run().isEmpty {
          start += size
        } else {
          best = shorter
        }
      }
      size /= 2
    }
    return best
  }

  /// What happens when it is played, for people: a line a move.
  public var story: [String] {
    var world = SimulatedWorld(graph, seed: seed)
    world.send(.timePassed)
    var lines = graph.workers.map { worker in
      "  \(worker.name) requires \(worker.requires), overlap \(worker.overlap), \(worker.restart)"
    }
    for move in moves where world.violations.isEmpty {
      Self.play(move, in: &world)
      let states = world.supervisor.snapshots.map {
        "\($0.name) \($0.state) \($0.processes.map(\.generation))"
      }
      lines.append("  \(move): \(states.joined(separator: ", "))")
    }
    return lines
  }

  private static func play(_ move: Move, in world: inout SimulatedWorld) {
    let names = world.supervisor.startOrder
    func name(_ number: Int) -> String { names[number % names.count] }
    switch move {
    case .wantUp(let number): world.send(.wantedUp(worker: name(number)))
    case .wantDown(let number): world.send(.wantedDown(worker: name(number)))
    case .restart(let number):
      var group = names.enumerated().filter { number >> $0.offset & 1 == 1 }.map(\.element)
      if number % 3 != 0 { group = [name(number)] }
      world.send(.restartAsked(workers: group))
    case .replace(let number, let revision):
      guard var worker = world.graph.workers.first(where: { $0.name == name(number) }) else {
        return
      }
      worker.revision = revision
      world.send(.replacementAsked(worker))
    case .specify(let seed):
      var dice = Dice(seed: seed)
      world.send(
        .specified(RandomGraph.change(world.graph, generations: world.highest, using: &dice)))
    case .late(let number):
      guard !world.gone.isEmpty else { return }
      let incarnation = world.gone[number % world.gone.count]
      let late: [SupervisionEvent] = [
        .exited(incarnation, .signal(9)), .stepCompleted(incarnation, .spawn),
        .stepCompleted(incarnation, .start), .drainFailed(incarnation),
        .stepFailed(incarnation, .handshake, StartFailure(reason: "late")),
        .reported(incarnation, HealthReport(progress: 1_000_000)), .unwatchable(incarnation),
      ]
      world.send(late[number / 8 % late.count])
    case .deadline: world.advanceToNextDeadline()
    case .hostDies: world.hostDies()
    case .pass(let milliseconds):
      world.pass(.milliseconds(milliseconds))
      world.send(.timePassed)
    case .shutDown: world.send(.shutDownAsked)
    case .success(let number):
      let starting = world.allProcesses.filter { $0.pending != nil }
      guard !starting.isEmpty else { return }
      world.happen(.stepSucceeds(starting[number % starting.count].incarnation))
    case .happening(let number):
      let all = world.happenings(ends: ends, reports: true)
      guard !all.isEmpty else { return }
      world.happen(all[number % all.count])
    }
  }
}

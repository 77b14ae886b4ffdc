import KithManifest
import KithSupervision
import Testing

/// Random orders of everything that can happen, each replayable from its seed.
@Suite struct RandomScheduleTests {
  /// Numbers from a seed, the same on every machine.
  struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }

  @Test(arguments: 0..<8)
  func noScheduleBreaksAPromise(block: UInt64) throws {
    for seed in block * 50..<(block + 1) * 50 {
      let violations = try run(seed: seed)
      #expect(violations.isEmpty, "seed \(seed): \(violations.joined(separator: "; "))")
      guard violations.isEmpty else { return }
    }
  }

  /// Plays one schedule and returns the promises that it broke.
  func run(seed: UInt64) throws -> [String] {
    var dice = Dice(state: seed)
    var world = try SimulatedWorld(Self.workers(using: &dice), seed: seed)
    let names = world.supervisor.startOrder
    let ends: [ProcessEnd] = [.exitCode(0), .exitCode(3), .signal(9), .unknown]
    world.send(.timePassed)
    var stale: [SupervisionEvent] = []
    for _ in 0..<60 where world.violations.isEmpty {
      let name = names.randomElement(using: &dice) ?? ""
      switch Int.random(in: 0..<20, using: &dice) {
      case 0: world.send(.wantedDown(worker: name))
      case 1: world.send(.wantedUp(worker: name))
      case 2: world.send(.restartAsked(worker: name))
      case 3: if let event = stale.randomElement(using: &dice) { world.send(event) }
      case 4, 5: world.advanceToNextDeadline()
      case 6:
        world.now = world.now + .milliseconds(Int.random(in: 0...2000, using: &dice))
        world.send(.timePassed)
      case 7: if Int.random(in: 0..<10, using: &dice) == 0 { world.send(.shutDownAsked) }
      default:
        let all = world.happenings(ends: ends)
        // Mostly things go right, else no schedule would ever get anywhere.
        let good = all.filter { if case .stepSucceeds = $0 { true } else { false } }
        let pick = Int.random(in: 0..<10, using: &dice) < 6 && !good.isEmpty ? good : all
        guard let happening = pick.randomElement(using: &dice) else { continue }
        if case .ends(let incarnation, let end) = happening {
          // What is said about a process after its end must change nothing.
          stale.append(.exited(incarnation, end))
          stale.append(.stepCompleted(incarnation, .spawn))
          stale.append(.stepCompleted(incarnation, .start))
          stale.append(.stepFailed(incarnation, .handshake, StartFailure(reason: "late")))
          stale.append(.drainFailed(incarnation))
        }
        world.happen(happening)
      }
    }
    if world.violations.isEmpty { calmDown(&world) }
    return world.violations
  }

  /// Lets everything go right from here on: then every wanted worker must become ready and every other be gone.
  private func calmDown(_ world: inout SimulatedWorld) {
    for name in world.supervisor.startOrder where !world.isShuttingDown {
      world.send(.wantedUp(worker: name))
    }
    for _ in 0..<400 {
      if let next = world.happenings(ends: []).first {
        if case .stepSucceeds = next {
          world.happen(next)
          continue
        }
      }
      if let ending = world.processes.values.first(where: { $0.isDraining || $0.isTerminated }) {
        world.happen(.ends(ending.incarnation, .exitCode(0)))
        continue
      }
      guard world.supervisor.nextDeadline != nil else { break }
      world.advanceToNextDeadline()
    }
    for snapshot in world.supervisor.snapshots {
      let good =
        world.isShuttingDown
        ? snapshot.state == .stopped
        : [.ready, .finished].contains(snapshot.state)
          || (snapshot.state == .quarantined && snapshot.nextStart == nil)
          || (snapshot.state == .waiting && snapshot.isSettled)
      if !good {
        world.violations.append("\(snapshot.name): ends as \(snapshot.state), \(snapshot.reason)")
      }
    }
  }

  /// Three to five workers with requirements among them and policies of all kinds.
  private static func workers(using dice: inout Dice) -> [WorkerSpecification] {
    var workers: [WorkerSpecification] = []
    for index in 0..<Int.random(in: 3...5, using: &dice) {
      let requires = workers.map(\.name).filter { _ in Int.random(in: 0..<3, using: &dice) == 0 }
      let policy = RestartPolicy(
        kind: RestartPolicy.Kind.allCases.randomElement(using: &dice) ?? .permanent,
        strategy: RestartPolicy.Strategy.allCases.randomElement(using: &dice) ?? .oneForOne,
        intensity: Int.random(in: 0...4, using: &dice),
        period: .seconds(Int.random(in: 1...40, using: &dice)))
      workers.append(
        WorkerSpecification(
          name: "worker-\(index)", requires: requires, restart: policy,
          lastGeneration: UInt64.random(in: 0...3, using: &dice),
          wanted: Int.random(in: 0..<8, using: &dice) != 0))
    }
    return workers
  }
}

import KithManifest
import KithSupervision

/// Workers with requirements among them and policies of all kinds.
enum RandomGraph {
  static func make(workers count: Int, using dice: inout Dice) -> WorkerGraph {
    var workers: [WorkerSpecification] = []
    for index in 0..<count { workers.append(worker("w\(index)", after: workers, using: &dice)) }
    return graph(workers)
  }

  /// The graph with a worker less, more, or changed; `generations` are those that were used.
  static func change(
    _ before: WorkerGraph, generations: [String: UInt64], using dice: inout Dice
  ) -> WorkerGraph {
    var workers = before.workers
    switch Int.random(in: 0..<4, using: &dice) {
    case 0 where workers.count > 1:
      let gone = workers.remove(at: Int.random(in: 0..<workers.count, using: &dice))
      for index in workers.indices {
        workers[index].requires.removeAll { $0.name == gone.name }
      }
    case 1 where workers.count < 8:
      let names = Set(workers.map(\.name))
      guard let name = (0...8).map({ "w\($0)" }).first(where: { !names.contains($0) }) else {
        break
      }
      workers.append(worker(name, after: workers, using: &dice))
    default:
      let index = Int.random(in: 0..<workers.count, using: &dice)
      let old = workers[index]
      var changed = worker(old.name, after: Array(workers[..<index]), using: &dice)
      // Half of the changes need no new process.
      changed.revision = Bool.random(using: &dice) ? old.revision : old.revision + 100
      workers[index] = changed
    }
    for index in workers.indices {
      workers[index].lastGeneration =
        generations[workers[index].name] ?? workers[index].lastGeneration
    }
    return graph(workers)
  }

  private static func graph(_ workers: [WorkerSpecification]) -> WorkerGraph {
    do {
      return try WorkerGraph(workers)
    } catch {
      preconditionFailure("each requires only those before it: \(error)")
    }
  }

  private static func worker(
    _ name: String, after others: [WorkerSpecification], using dice: inout Dice
  ) -> WorkerSpecification {
    let requires = others.map(\.name).filter { _ in Int.random(in: 0..<3, using: &dice) == 0 }
      .map {
        Requirement(
          $0, health: Requirement.Health.allCases.randomElement(using: &dice) ?? .ready,
          onLoss: Requirement.Loss.allCases.randomElement(using: &dice) ?? .ignore)
      }
    var budgets: [RestartPolicy.Cause: RestartPolicy.Budget] = [:]
    for cause in RestartPolicy.Cause.allCases where Int.random(in: 0..<4, using: &dice) == 0 {
      budgets[cause] = RestartPolicy.Budget(
        intensity: Int.random(in: 0...2, using: &dice),
        period: .seconds(Int.random(in: 1...40, using: &dice)))
    }
    let policy = RestartPolicy(
      kind: RestartPolicy.Kind.allCases.randomElement(using: &dice) ?? .permanent,
      strategy: RestartPolicy.Strategy.allCases.randomElement(using: &dice) ?? .oneForOne,
      intensity: Int.random(in: 0...4, using: &dice),
      period: .seconds(Int.random(in: 1...40, using: &dice)), budgets: budgets)
    return WorkerSpecification(
      name: name, requires: requires, restart: policy,
      limits: TimeLimits(
        watchdog: Int.random(in: 0..<5, using: &dice) == 0
          ? nil : .seconds(Int.random(in: 1...20, using: &dice))),
      overlap: Bool.random(using: &dice),
      lastGeneration: UInt64.random(in: 0...3, using: &dice),
      wanted: Int.random(in: 0..<8, using: &dice) != 0)
  }
}

import KithManifest

/// Workers that can be supervised together: their names are unique, and what each requires is there
/// and not in a circle.
public struct WorkerGraph: Hashable, Sendable {
  /// Why a set of workers cannot be supervised.
  public enum Flaw: Error, Hashable {
    /// Two workers have this name.
    case duplicate(String)
    /// The first worker requires the second, which does not exist.
    case unknownRequirement(String, String)
    /// These workers require each other in a circle.
    case cycle([String])
  }

  /// The workers; each comes after all that it requires, and those that do not depend on each other
  /// in the order given.
  public let workers: [WorkerSpecification]
  /// For each worker all that require it, directly or not, in start order.
  let dependents: [String: [String]]

  /// Their names, in that order.
  public var startOrder: [String] { workers.map(\.name) }

  /// A set of workers.
  /// - Throws: `Flaw`, the first one found.
  public init(_ workers: [WorkerSpecification]) throws(Flaw) {
    var names: Set<String> = []
    for worker in workers where !names.insert(worker.name).inserted {
      throw .duplicate(worker.name)
    }
    for worker in workers {
      for requirement in worker.requires where !names.contains(requirement.name) {
        throw .unknownRequirement(worker.name, requirement.name)
      }
    }
    self.workers = try Self.ordered(workers)
    dependents = Self.dependents(self.workers)
  }

  private static func ordered(
    _ workers: [WorkerSpecification]
  ) throws(Flaw) -> [WorkerSpecification] {
    var ordered: [WorkerSpecification] = []
    var names: Set<String> = []
    var rest = workers
    while !rest.isEmpty {
      guard
        let index = rest.firstIndex(where: { $0.requires.allSatisfy { names.contains($0.name) } })
      else { throw .cycle(rest.map(\.name)) }
      names.insert(rest[index].name)
      ordered.append(rest.remove(at: index))
    }
    return ordered
  }

  private static func dependents(_ ordered: [WorkerSpecification]) -> [String: [String]] {
    var all: [String: Set<String>] = [:]
    for worker in ordered.reversed() {
      for requirement in worker.requires {
        all[requirement.name, default: []].formUnion((all[worker.name] ?? []).union([worker.name]))
      }
    }
    return all.mapValues { set in ordered.map(\.name).filter(set.contains) }
  }
}

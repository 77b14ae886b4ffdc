import KithManifest
import KithPlanning
import KithSupervision

/// The workers of a host: those of its product, and those that still have a process of an earlier
/// one.
struct WorkerTable {
  private var workers: [String: HostedWorker] = [:]
  private var latestRevision: UInt64 = 0

  /// The workers of a plan, of which an earlier host may have left processes. The plan's
  /// definitions have revision 0.
  init(_ plan: Plan, _ adoption: Adoption) {
    for worker in plan.workers { self[worker.name].define(worker, revision: 0) }
    for (incarnation, definition) in adoption.definitions {
      self[incarnation.worker].define(definition.worker, revision: definition.revision)
      latestRevision = max(latestRevision, definition.revision)
    }
  }

  /// A worker; one that nothing is known of has no definition and no process.
  subscript(name: String) -> HostedWorker {
    get { workers[name] ?? HostedWorker(name) }
    set { workers[name] = newValue }
  }

  /// A process that runs; nil for one that has ended.
  subscript(incarnation: Incarnation) -> RunningProcess? {
    workers[incarnation.worker]?[incarnation.generation]
  }

  /// The workers.
  var all: some Collection<HostedWorker> { workers.values }

  /// The processes that run, of all workers.
  var running: [RunningProcess] { workers.values.flatMap(\.running) }

  /// Changes a process that runs; nil for one that has ended.
  @discardableResult
  mutating func update<Value>(
    _ incarnation: Incarnation, _ change: (inout RunningProcess) -> Value
  ) -> Value? {
    self[incarnation.worker].update(incarnation.generation, change)
  }

  /// A revision that no definition has had.
  mutating func newRevision() -> UInt64 {
    latestRevision += 1
    return latestRevision
  }

  /// Forgets the workers without a process that are not named.
  mutating func forget(besides names: some Sequence<String>) {
    let names = Set(names)
    workers = workers.filter { names.contains($0.key) || !$0.value.running.isEmpty }
  }
}

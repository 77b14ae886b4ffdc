import KithManifest
import KithPlanning
import KithSupervision

/// What an earlier host left, and what its processes were made from.
struct Adoption {
  /// The definition that a process was started from.
  struct Definition {
    /// 0 for the plan's. A process of neither the plan's definition nor that of its own plugin
    /// folder has a revision that no other process has, so that it is replaced.
    var revision: UInt64
    var worker: PlannedWorker
  }

  /// The processes.
  let earlier: EarlierProcesses
  /// The definitions of those that belong to workers of the plan.
  private(set) var definitions: [Incarnation: Definition] = [:]

  /// Finds the definitions: the plan's, or that of the folder to which a worker was upgraded.
  init(_ earlier: EarlierProcesses, settings: HostSettings) {
    self.earlier = earlier
    var revision: UInt64 = 0
    for record in earlier.running.map(\.record) + earlier.ended {
      guard let planned = settings.plan.worker(named: record.incarnation.worker) else { continue }
      if planned.digest(in: settings.plan, account: settings.workerAccount) == record.digest {
        definitions[record.incarnation] = Definition(revision: 0, worker: planned)
        continue
      }
      revision += 1
      var definition = Definition(revision: revision, worker: planned)
      if record.phase == .serving, record.pluginDirectory != planned.pluginDirectory,
        let upgraded = try? settings.plannedWorker(planned.name, from: record.pluginDirectory),
        upgraded.digest(in: settings.plan, account: settings.workerAccount) == record.digest
      {
        definition.worker = upgraded
      }
      definitions[record.incarnation] = definition
    }
  }

  /// The revision that a worker runs at: an upgrade lasts until the product is ended, not only its
  /// host.
  func revision(of planned: PlannedWorker) -> UInt64 {
    definitions.filter { $0.key.worker == planned.name && $0.value.worker != planned }
      .max { $0.key.generation < $1.key.generation }?.value.revision ?? 0
  }

  /// Those that have ended while no host led them and that nothing took over from.
  func deaths(in plan: Plan) -> [ProcessRecords.Record] {
    let running = Set(earlier.running.map(\.record.incarnation.worker))
    return earlier.ended.filter { record in
      record.phase == .serving && plan.worker(named: record.incarnation.worker) != nil
        && !running.contains(record.incarnation.worker)
    }
  }
}

/// The decisions of the host: which worker is started, ended, named or left alone, and when.
///
/// A value without clock, process or socket: `handle` takes what happened and the time, and returns
/// what must be done. The same events at the same times always give the same actions, so that every
/// schedule can be tried and replayed.
///
/// After each event the supervisor compares what is wanted with what there is and takes the next
/// step towards it. Nothing is remembered as "to be done later" but deadlines, so that no order of
/// events can leave a worker stuck half-way.
public struct Supervisor: Hashable, Sendable {
  /// The workers that the product is made of.
  var graph: WorkerGraph
  /// What is known of them, and of those that the product was made of and that still have a
  /// process.
  var records: [String: WorkerRecord] = [:]
  var isShuttingDown = false
  var generator: SplitMix64
  /// Actions of the event that is being handled.
  var actions: [SupervisionAction] = []

  /// A supervisor of these workers; nothing happens before the first event.
  ///
  /// - Parameter jitterSeed: where the random part of backoffs comes from.
  public init(_ graph: WorkerGraph, jitterSeed: UInt64) {
    self.graph = graph
    for worker in graph.workers { records[worker.name] = WorkerRecord(worker) }
    generator = SplitMix64(seed: jitterSeed)
  }

  /// As above, for workers whose names and requirements have not been checked.
  public init(
    _ workers: [WorkerSpecification], jitterSeed: UInt64
  ) throws(WorkerGraph.Flaw) {
    self.init(try WorkerGraph(workers), jitterSeed: jitterSeed)
  }

  /// The workers' names; each comes after all that it requires.
  public var startOrder: [String] { graph.startOrder }

  /// Takes what happened and returns what must be done, in order.
  public mutating func handle(_ event: SupervisionEvent, at now: Moment) -> [SupervisionAction] {
    actions = []
    defer { actions = [] }
    let wasLive = liveness(told: event)
    take(event, at: now)
    // Reports come all the time, and mostly say what was known: nothing else is due then.
    if wasLive != nil, wasLive == liveness(told: event), nextDeadline.map({ $0 > now }) ?? true {
      return actions
    }
    for name in allNames { passTime(for: name, at: now) }
    reconcile(at: now)
    return actions
  }

  /// Whether the process that a report is of shows progress; nil for any other event.
  private func liveness(told event: SupervisionEvent) -> Bool? {
    guard case .reported(let incarnation, _) = event, let record = records[incarnation.worker],
      let slot = record.slot(of: incarnation.generation)
    else { return nil }
    return record[slot]?.serving?.watch.isLive
  }

  private mutating func take(_ event: SupervisionEvent, at now: Moment) {
    switch event {
    case .wantedUp(let worker): wantUp(worker)
    case .wantedDown(let worker): wantDown(worker, at: now)
    case .restartAsked(let workers): restart(workers)
    case .replacementAsked(let specification): replace(specification, at: now)
    case .specified(let graph): specify(graph, at: now)
    case .shutDownAsked: shutDown()
    case .found(let revisions): found(revisions, at: now)
    case .stepCompleted(let incarnation, let step): completed(step, of: incarnation, at: now)
    case .stepFailed(let incarnation, let step, let failure):
      failed(step, of: incarnation, failure, at: now)
    case .reported(let incarnation, let report): reported(report, by: incarnation, at: now)
    case .unwatchable(let incarnation): stopWatching(incarnation)
    case .drainFailed(let incarnation): drainFailed(incarnation, at: now)
    case .exited(let incarnation, let end): exited(incarnation, end, at: now)
    case .timePassed: break
    }
  }

  // MARK: Access

  /// The workers of the product in start order, then those that are still to be forgotten, by name.
  var allNames: [String] {
    let current = graph.startOrder
    guard records.count > current.count else { return current }
    return current + records.filter(\.value.isRetired).map(\.key).sorted()
  }

  mutating func update(
    _ name: String, _ change: (inout Supervisor, inout WorkerRecord) -> Void
  ) {
    guard var record = records[name] else { return }
    change(&self, &record)
    records[name] = record
  }

  /// As above, for an event about a process: one that is not there is ignored.
  mutating func update(
    _ incarnation: Incarnation,
    _ change: (inout Supervisor, inout WorkerRecord, WorkerRecord.Slot, ProcessRecord) -> Void
  ) {
    update(incarnation.worker) { supervisor, record in
      guard let slot = record.slot(of: incarnation.generation), let process = record[slot] else {
        return
      }
      change(&supervisor, &record, slot, process)
    }
  }

  mutating func note(_ text: String, about record: WorkerRecord, _ generation: UInt64? = nil) {
    actions.append(
      .note(
        worker: record.specification.name, generation: generation ?? record.generation, text: text))
  }
}

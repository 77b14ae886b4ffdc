import KithManifest

/// The decisions of the host: which worker is started, ended, named or left alone, and when.
///
/// A value without clock, process or socket: `handle` takes what happened and the time, and returns what must be done.
/// The same events at the same times always give the same actions, so that every schedule can be tried and replayed.
///
/// After each event the supervisor compares what is wanted with what there is and takes the next step towards it. Nothing
/// is remembered as "to be done later" but deadlines, so that no order of events can leave a worker stuck half-way.
public struct Supervisor: Hashable, Sendable {
  /// Why a set of workers cannot be supervised.
  public enum SpecificationError: Error, Hashable {
    /// Two workers have this name.
    case duplicate(String)
    /// The first worker requires the second, which does not exist.
    case unknownRequirement(String, String)
    /// These workers require each other in a circle.
    case cycle([String])
  }

  private var records: [String: WorkerRecord] = [:]
  /// The workers' names; each comes after all that it requires.
  public let startOrder: [String]
  /// For each worker all that require it, directly or not, in start order.
  private let dependents: [String: [String]]
  private var isShuttingDown = false
  private var generator: SplitMix64
  /// Actions of the event that is being handled.
  private var actions: [SupervisionAction] = []

  /// A supervisor of these workers; nothing happens before the first event.
  ///
  /// - Parameter jitterSeed: where the random part of backoffs comes from.
  /// - Throws: `SpecificationError` when names are not unique or requirements cannot be met.
  public init(
    _ workers: [WorkerSpecification], jitterSeed: UInt64
  ) throws(SpecificationError) {
    for worker in workers {
      guard records[worker.name] == nil else { throw .duplicate(worker.name) }
      records[worker.name] = WorkerRecord(worker)
    }
    for worker in workers {
      for name in worker.requires where records[name] == nil {
        throw .unknownRequirement(worker.name, name)
      }
    }
    startOrder = try Self.order(workers)
    dependents = Self.dependents(of: workers, order: startOrder)
    generator = SplitMix64(seed: jitterSeed)
  }

  // MARK: Asking

  /// When `timePassed` must be sent next; nil when nothing waits for time.
  public var nextDeadline: Moment? {
    records.values.compactMap(\.deadline).min()
  }

  /// Whether a shutdown was asked for and no process is left.
  public var isShutDown: Bool {
    isShuttingDown && records.values.allSatisfy { !$0.hasProcess }
  }

  /// Whether every worker that is wanted up is ready or will not be without somebody's help.
  public var isSettled: Bool {
    records.keys.allSatisfy(isSettled)
  }

  /// A worker as it is now; nil when there is none of this name.
  public func snapshot(of name: String) -> WorkerSnapshot? {
    guard let record = records[name] else { return nil }
    var snapshot = WorkerSnapshot(
      name: name, state: state(of: record), isWanted: record.isWanted,
      generation: record.generation, hasProcess: record.hasProcess, step: nil, nextStart: nil,
      restarts: record.restarts, lastExit: record.lastExit, reason: reason(for: record),
      isSettled: isSettled(name))
    if case .starting(let step, _) = record.phase { snapshot.step = step }
    if [.backingOff, .quarantined].contains(snapshot.state) {
      snapshot.nextStart = record.deadline
    }
    return snapshot
  }

  /// All workers as they are now, in start order.
  public var snapshots: [WorkerSnapshot] { startOrder.compactMap(snapshot) }

  // MARK: Events

  /// Takes what happened and returns what must be done, in order.
  public mutating func handle(_ event: SupervisionEvent, at now: Moment) -> [SupervisionAction] {
    actions = []
    defer { actions = [] }
    switch event {
    case .wantedUp(let worker): wantUp(worker)
    case .wantedDown(let worker): wantDown(worker)
    case .restartAsked(let worker): restart(worker, at: now)
    case .shutDownAsked:
      isShuttingDown = true
      for name in startOrder { wantDown(name) }
    case .stepCompleted(let incarnation, let step): completed(step, of: incarnation, at: now)
    case .stepFailed(let incarnation, let step, let failure):
      failed(step, of: incarnation, failure, at: now)
    case .drainFailed(let incarnation):
      update(incarnation) { supervisor, record in
        if case .ending(let ending) = record.phase, ending.stage == .draining {
          supervisor.advance(ending, of: &record, at: now)
        }
      }
    case .exited(let incarnation, let end): exited(incarnation, end, at: now)
    case .timePassed: break
    }
    for name in startOrder { passTime(for: name, at: now) }
    reconcile(at: now)
    return actions
  }

  private mutating func wantUp(_ name: String) {
    guard !isShuttingDown, records[name] != nil else { return }
    for other in startOrder where other == name || dependents[other]?.contains(name) == true {
      update(other) { _, record in
        let isNews = !record.isWanted
        record.isWanted = true
        switch record.hold {
        case .none: break
        case .backoff:
          // What is merely required keeps its pace; what was asked for by name starts at once.
          guard other == name || isNews else { return }
          record.hold = .none
          record.history.clear()
        case .quarantine, .finished:
          record.hold = .none
          record.history.clear()
          record.restartsByItself = false
        }
        if other == name && !record.hasProcess { record.restartsByItself = false }
      }
    }
  }

  private mutating func wantDown(_ name: String) {
    update(name) { _, record in
      record.isWanted = false
      record.hold = .none
      record.history.clear()
      record.restartsByItself = false
      if case .ending(var ending) = record.phase {
        ending.purpose = .stop
        record.phase = .ending(ending)
      }
    }
  }

  private mutating func restart(_ name: String, at now: Moment) {
    guard !isShuttingDown else { return }
    wantUp(name)
    update(name) { supervisor, record in
      record.history.clear()
      record.restartsByItself = false
      switch record.phase {
      case .absent: break
      case .starting, .ready: supervisor.beginEnding(.restart, of: &record, at: now)
      case .ending(var ending):
        ending.purpose = .restart
        record.phase = .ending(ending)
      }
    }
  }

  private mutating func completed(_ step: StartStep, of incarnation: Incarnation, at now: Moment) {
    update(incarnation) { supervisor, record in
      switch record.phase {
      case .starting(let current, let deadline) where current == step:
        if let next = step.next {
          record.phase = .starting(next, deadline: deadline)
          if next != .listen { supervisor.actions.append(.perform(next, incarnation)) }
        } else {
          record.phase = .ready(since: now)
          supervisor.actions.append(.publish(incarnation))
          supervisor.note("ready", about: record)
        }
      case .ending(var ending) where ending.stage == .unborn && step == .spawn:
        ending.stage = .terminating
        ending.deadline = now + record.specification.limits.terminate
        record.phase = .ending(ending)
        supervisor.actions.append(.terminate(incarnation))
      default: break
      }
    }
  }

  private mutating func failed(
    _ step: StartStep, of incarnation: Incarnation, _ failure: StartFailure, at now: Moment
  ) {
    update(incarnation) { supervisor, record in
      switch record.phase {
      case .starting(let current, _) where current == step:
        if step == .spawn {
          supervisor.ended(&record, .notCreated, purpose: .failure(failure), at: now)
        } else {
          supervisor.beginEnding(.failure(failure), of: &record, at: now)
        }
      case .ending(let ending) where ending.stage == .unborn && step == .spawn:
        supervisor.ended(&record, .notCreated, purpose: ending.purpose, at: now)
      default: break
      }
    }
  }

  private mutating func exited(_ incarnation: Incarnation, _ end: ProcessEnd, at now: Moment) {
    update(incarnation) { supervisor, record in
      switch record.phase {
      case .absent: break
      case .starting, .ready: supervisor.ended(&record, end, purpose: nil, at: now)
      case .ending(let ending):
        supervisor.ended(&record, end, purpose: ending.purpose, at: now)
      }
    }
  }

  // MARK: Transitions

  /// The process is gone: decides whether there will be another. `purpose` is nil when the supervisor did not end it.
  private mutating func ended(
    _ record: inout WorkerRecord, _ end: ProcessEnd, purpose: WorkerRecord.Ending.Purpose?,
    at now: Moment
  ) {
    var readyFor: Duration?
    if case .ready(let since) = record.phase {
      readyFor = now - since
      actions.append(.withdraw(record.incarnation))
    }
    record.phase = .absent
    var description = end.description
    if case .failure(let failure) = purpose { description = failure.description(with: end) }
    record.lastExit = WorkerSnapshot.Exit(
      generation: record.generation, end: end, description: description)
    // A failure of the start was noted when the supervisor stepped in; this is what the process itself says.
    note(end == .notCreated ? description : "ended: \(end)", about: record)
    guard record.isWanted else { return }
    switch purpose {
    case .stop, .restart, .escalation: return
    case .failure(let failure):
      guard failure.isRetryable else {
        record.hold = .quarantine(until: nil, reason: failure.reason)
        note("in quarantine until somebody starts it: \(failure.reason)", about: record)
        return
      }
    case nil:
      switch record.specification.restart.kind {
      case .permanent: break
      case .transient: if end.isClean { return finish(&record) }
      case .temporary: return finish(&record)
      }
    }
    judge(&record, died: description, readyFor: readyFor, at: now)
    escalate(from: record, at: now)
  }

  private mutating func finish(_ record: inout WorkerRecord) {
    record.hold = .finished
    note("finished", about: record)
  }

  private mutating func judge(
    _ record: inout WorkerRecord, died description: String, readyFor: Duration?, at now: Moment
  ) {
    let policy = record.specification.restart
    let verdict = record.history.died(
      at: now, readyFor: readyFor, policy: policy, backoff: record.specification.backoff,
      using: &generator)
    switch verdict {
    case .restart(let delay):
      record.restartsByItself = true
      record.hold = delay > .zero ? .backoff(until: now + delay) : .none
      if delay > .zero { note("starts again in \(delay.forPeople)", about: record) }
    case .quarantine(let length):
      record.restartsByItself = false
      let reason =
        record.history.quarantines > 1
        ? "the retry after its quarantine failed: \(description)"
        : "restarted \(policy.intensity) times within \(policy.period.forPeople), then: \(description)"
      record.hold = .quarantine(until: now + length, reason: reason)
      note("in quarantine for \(length.forPeople): \(reason)", about: record)
    }
  }

  /// Ends those who must be restarted along with a worker that died.
  private mutating func escalate(from record: WorkerRecord, at now: Moment) {
    let name = record.specification.name
    let companions: [String]
    switch record.specification.restart.strategy {
    case .oneForOne: return
    case .restForOne: companions = dependents[name] ?? []
    }
    for companion in companions.reversed() {
      update(companion) { supervisor, record in
        if record.hasProcess && !record.isEnding && record.isWanted {
          supervisor.beginEnding(.escalation(from: name), of: &record, at: now)
        }
      }
    }
  }

  private mutating func beginEnding(
    _ purpose: WorkerRecord.Ending.Purpose, of record: inout WorkerRecord, at now: Moment
  ) {
    let limits = record.specification.limits
    var ending = WorkerRecord.Ending(stage: .terminating, purpose: purpose, deadline: nil)
    switch record.phase {
    case .absent, .ending: return
    case .starting(.spawn, _): ending.stage = .unborn
    case .starting:
      ending.deadline = now + limits.terminate
      actions.append(.terminate(record.incarnation))
    case .ready:
      ending.stage = .draining
      ending.deadline = now + limits.drain + limits.drainMargin
      actions.append(.withdraw(record.incarnation))
      actions.append(.drain(record.incarnation, grace: limits.drain))
    }
    record.phase = .ending(ending)
    note(reason(for: record), about: record)
  }

  /// Takes an ending that has not worked so far to its next stage.
  private mutating func advance(
    _ ending: WorkerRecord.Ending, of record: inout WorkerRecord, at now: Moment
  ) {
    var ending = ending
    let limits = record.specification.limits
    switch ending.stage {
    case .unborn: return
    case .draining:
      ending.stage = .terminating
      ending.deadline = now + limits.terminate
      actions.append(.terminate(record.incarnation))
    case .terminating, .killing:
      ending.stage = .killing
      ending.deadline = now + limits.kill
      actions.append(.kill(record.incarnation))
      note("did not end when asked to: killed", about: record)
    }
    record.phase = .ending(ending)
  }

  /// Acts on a worker's deadline when it has come.
  private mutating func passTime(for name: String, at now: Moment) {
    update(name) { supervisor, record in
      guard let deadline = record.deadline, deadline <= now else { return }
      switch record.phase {
      case .starting(let step, _):
        let limit = record.specification.limits.start.forPeople
        let failure = StartFailure(reason: "not ready within \(limit): \(step.pending)")
        supervisor.beginEnding(.failure(failure), of: &record, at: now)
      case .ready: break
      case .ending(let ending): supervisor.advance(ending, of: &record, at: now)
      case .absent:
        if case .quarantine = record.hold { record.history.beginProbation() }
        record.hold = .none
      }
    }
  }

  /// Takes the next step from what there is to what is wanted.
  private mutating func reconcile(at now: Moment) {
    for name in startOrder.reversed() {
      update(name) { supervisor, record in
        guard record.hasProcess, !record.isEnding, !record.isWanted else { return }
        // A shutdown ends nobody who may still be needed; a single stop was somebody's own wish.
        let isNeeded =
          supervisor.isShuttingDown
          && (supervisor.dependents[name] ?? []).contains {
            supervisor.records[$0]?.hasProcess == true
          }
        if !isNeeded { supervisor.beginEnding(.stop, of: &record, at: now) }
      }
    }
    guard !isShuttingDown else { return }
    for name in startOrder {
      update(name) { supervisor, record in
        guard record.isWanted, !record.hasProcess, record.hold == .none,
          record.specification.requires.allSatisfy({ supervisor.records[$0]?.isReady == true })
        else { return }
        record.generation += 1
        record.phase = .starting(.spawn, deadline: now + record.specification.limits.start)
        if record.restartsByItself {
          record.restarts += 1
          record.history.restarted(at: now, policy: record.specification.restart)
          record.restartsByItself = false
        }
        supervisor.actions.append(.spawn(record.incarnation))
      }
    }
  }

  // MARK: Access

  private mutating func update(
    _ name: String, _ change: (inout Supervisor, inout WorkerRecord) -> Void
  ) {
    guard var record = records[name] else { return }
    change(&self, &record)
    records[name] = record
  }

  /// As above, for an event about a process: one that is not the worker's latest is ignored.
  private mutating func update(
    _ incarnation: Incarnation, _ change: (inout Supervisor, inout WorkerRecord) -> Void
  ) {
    guard records[incarnation.worker]?.generation == incarnation.generation else { return }
    update(incarnation.worker, change)
  }

  private mutating func note(_ text: String, about record: WorkerRecord) {
    actions.append(
      .note(worker: record.specification.name, generation: record.generation, text: text))
  }
}

// MARK: - What can be seen

extension Supervisor {
  private func state(of record: WorkerRecord) -> WorkerSnapshot.State {
    switch record.phase {
    case .starting: return .starting
    case .ready: return .ready
    case .ending: return .draining
    case .absent:
      guard record.isWanted else { return .stopped }
      switch record.hold {
      case .none: return .waiting
      case .backoff: return .backingOff
      case .quarantine: return .quarantined
      case .finished: return .finished
      }
    }
  }

  private func isSettled(_ name: String) -> Bool {
    guard let record = records[name] else { return true }
    switch state(of: record) {
    case .ready, .quarantined, .finished: return true
    case .stopped: return true
    case .starting, .draining, .backingOff: return false
    case .waiting:
      // Settled for as long as what it waits for will not come by itself. Requirements have no cycles, so this ends.
      return record.specification.requires.contains {
        records[$0]?.isReady != true && isSettled($0)
      }
    }
  }

  private func reason(for record: WorkerRecord) -> String {
    switch record.phase {
    case .ready: return ""
    case .starting(let step, _): return step.pending
    case .ending(let ending):
      switch ending.purpose {
      case .stop: return "is being stopped"
      case .restart: return "is being restarted"
      case .escalation(let other): return "is restarted because \(other) died"
      case .failure(let failure): return failure.reason
      }
    case .absent:
      guard record.isWanted else { return "" }
      switch record.hold {
      case .none: return waitReason(for: record)
      case .backoff:
        let policy = record.specification.restart
        let used = record.history.restarts.count
        return
          "\(record.lastExit?.description ?? "ended"); restart \(used + 1) of \(policy.intensity) allowed within \(policy.period.forPeople)"
      case .quarantine(_, let reason): return reason
      case .finished: return record.lastExit?.description ?? ""
      }
    }
  }

  private func waitReason(for record: WorkerRecord) -> String {
    let missing = record.specification.requires.filter { records[$0]?.isReady != true }
    return missing.map { name in
      switch records[name].map(state) {
      case .stopped: "waits for \(name), which is stopped"
      case .quarantined: "waits for \(name), which is in quarantine"
      case .finished: "waits for \(name), which has finished"
      default: "waits for \(name)"
      }
    }.joined(separator: "; ")
  }
}

// MARK: - Order

extension Supervisor {
  /// The names so that each comes after all that it requires; workers that do not depend on each other keep their order.
  private static func order(
    _ workers: [WorkerSpecification]
  ) throws(SpecificationError) -> [String] {
    var order: [String] = []
    var rest = workers
    while !rest.isEmpty {
      guard let index = rest.firstIndex(where: { $0.requires.allSatisfy(order.contains) }) else {
        throw .cycle(rest.map(\.name))
      }
      order.append(rest.remove(at: index).name)
    }
    return order
  }

  private static func dependents(
    of workers: [WorkerSpecification], order: [String]
  ) -> [String: [String]] {
    let requires = Dictionary(uniqueKeysWithValues: workers.map { ($0.name, $0.requires) })
    var all: [String: Set<String>] = [:]
    for name in order.reversed() {
      for requirement in requires[name] ?? [] {
        all[requirement, default: []].formUnion((all[name] ?? []).union([name]))
      }
    }
    return all.mapValues { set in order.filter(set.contains) }
  }
}

import KithManifest
public import KithSupervision

/// The processes that a supervisor believes to lead: carries its actions out, lets things go right
/// or wrong as it is told, and keeps the promises that the supervisor must keep.
public struct SimulatedWorld: Hashable, Sendable {
  /// What can happen next to a process.
  public enum Happening: Hashable, Sendable {
    /// The step under way succeeds.
    case stepSucceeds(Incarnation)
    /// It does not, and another try might or will not.
    case stepFails(Incarnation, retryable: Bool)
    /// The process tells that it got on with its work, or that a part is missing.
    case reports(Incarnation, degraded: Bool)
    /// It does not take the order to drain.
    case drainFails(Incarnation)
    /// It ends.
    case ends(Incarnation, ProcessEnd)
  }

  /// The supervisor.
  public var supervisor: Supervisor
  /// What the product is made of.
  public private(set) var graph: WorkerGraph
  /// What time it is.
  public private(set) var now = Moment.start
  /// The processes that there are, oldest first.
  public private(set) var processes: [Incarnation: SimulatedProcess] = [:]
  /// Promises that were broken.
  public var violations: [String] = []
  /// Whether a shutdown was asked for.
  public private(set) var isShuttingDown = false
  /// The latest processes that are gone.
  public private(set) var gone: [Incarnation] = []

  /// What is known of each worker, also of those that are no longer part of the product.
  private var specifications: [String: WorkerSpecification] = [:]
  /// What is tried in place of a specification.
  private var candidates: [String: WorkerSpecification] = [:]
  private var wanted: Set<String> = []
  /// The latest generation of each worker.
  public private(set) var highest: [String: UInt64] = [:]
  private var published: [String: UInt64] = [:]
  /// When unasked restarts happened, and why.
  private var restarts: [String: [Restart]] = [:]
  /// Why those died who died unasked.
  private var deaths: [String: RestartPolicy.Cause] = [:]
  /// Who was in quarantine and has not been started since: the one retry after it does not count
  /// against the budget.
  private var quarantined: Set<String> = []
  /// Who was being ended before the present event.
  private var endedBefore: Set<Incarnation> = []

  private struct Restart: Hashable {
    var at: Moment
    var cause: RestartPolicy.Cause
  }

  /// A world of these workers, in which nothing has happened.
  public init(_ graph: WorkerGraph, seed: UInt64) {
    supervisor = Supervisor(graph, jitterSeed: seed)
    self.graph = graph
    for worker in graph.workers {
      specifications[worker.name] = worker
      highest[worker.name] = worker.lastGeneration
      if worker.wanted { wanted.insert(worker.name) }
    }
  }

  /// As above, for workers whose names and requirements have not been checked.
  public init(_ workers: [WorkerSpecification], seed: UInt64) throws {
    self.init(try WorkerGraph(workers), seed: seed)
  }

  // MARK: Asking

  /// The main process of a worker.
  public subscript(name: String) -> SimulatedProcess? {
    supervisor.snapshot(of: name).flatMap {
      processes[Incarnation(worker: name, generation: $0.generation)]
    }
  }

  /// The processes of a worker, oldest first.
  public func processes(of name: String) -> [SimulatedProcess] {
    processes.values.filter { $0.incarnation.worker == name }
      .sorted { $0.incarnation.generation < $1.incarnation.generation }
  }

  /// All processes, by worker and generation.
  public var allProcesses: [SimulatedProcess] {
    processes.values.sorted {
      ($0.incarnation.worker, $0.incarnation.generation)
        < ($1.incarnation.worker, $1.incarnation.generation)
    }
  }

  /// All that could happen next.
  public func happenings(ends: [ProcessEnd], reports: Bool = false) -> [Happening] {
    var all: [Happening] = []
    for process in allProcesses {
      let incarnation = process.incarnation
      if let step = process.pending {
        if step != .adopt || process.adoption == .fit { all.append(.stepSucceeds(incarnation)) }
        if step != .listen {
          all.append(.stepFails(incarnation, retryable: true))
          all.append(.stepFails(incarnation, retryable: false))
        }
      }
      if reports && process.isReady && !process.isEnding {
        all.append(.reports(incarnation, degraded: false))
        all.append(.reports(incarnation, degraded: true))
      }
      if process.isDraining && !process.isTerminated { all.append(.drainFails(incarnation)) }
      if process.isBorn { all += ends.map { .ends(incarnation, $0) } }
    }
    return all
  }

  // MARK: Events

  /// Lets time pass without the supervisor noticing.
  public mutating func pass(_ duration: Duration) {
    now = now + duration
  }

  /// Lets the time come that the supervisor waits for.
  public mutating func advanceToNextDeadline() {
    guard let deadline = supervisor.nextDeadline else { return }
    now = max(now, deadline)
    send(.timePassed)
  }

  /// Tells the supervisor something.
  public mutating func send(_ event: SupervisionEvent) {
    note(event)
    endedBefore = Set(processes.keys.filter(isBeingEnded))
    for action in supervisor.handle(event, at: now) { carryOut(action) }
    checkState()
  }

  /// Lets the host die, and another one find what it left: those whose creation had not been
  /// confirmed never worked, and of what was wanted and tried only the manifest is known.
  public mutating func hostDies() {
    processes = processes.filter { $0.value.isBorn }
    supervisor = Supervisor(
      graph.used(highest), jitterSeed: UInt64(bitPattern: Int64(highest.values.reduce(0, +))))
    isShuttingDown = false
    wanted = Set(graph.workers.filter(\.wanted).map(\.name))
    for worker in graph.workers { specifications[worker.name] = worker }
    candidates = [:]
    published = [:]
    restarts = [:]
    deaths = [:]
    quarantined = []
    for process in allProcesses {
      var found = process
      let serves = process.isReady || process.adoption == .fit
      found.adoption = serves && !process.isEnding ? .fit : .unfit
      found.pending = nil
      found.reached = nil
      (found.isDraining, found.isTerminated, found.isKilled) = (false, false, false)
      (found.fault, found.isForgiven) = (nil, false)
      // It runs, and has as long to prove itself as a ready one may be silent.
      let worker = graph.workers.first { $0.name == process.incarnation.worker }
      let limits = worker?.limits ?? TimeLimits()
      found.watchdog = min(limits.start, limits.watchdog ?? limits.start)
      found.progress = 0
      (found.since, found.lastProgress) = (now, now)
      processes[process.incarnation] = found
    }
    send(.found(processes.mapValues(\.revision)))
  }

  /// Lets something happen to a process.
  public mutating func happen(_ happening: Happening) {
    switch happening {
    case .stepSucceeds(let incarnation):
      guard let step = processes[incarnation]?.pending else { return }
      processes[incarnation]?.pending = step == .spawn ? .listen : nil
      processes[incarnation]?.reached = step
      processes[incarnation]?.lastProgress = now
      if processes[incarnation]?.isReady == true {
        processes[incarnation]?.watchdog = [specifications, candidates]
          .compactMap { $0[incarnation.worker]?.limits.watchdog }.min()
      }
      send(.stepCompleted(incarnation, step))
    case .stepFails(let incarnation, let retryable):
      guard let step = processes[incarnation]?.pending else { return }
      processes[incarnation]?.pending = nil
      // One that is not adopted is no failure of the worker.
      if !isBeingEnded(incarnation), processes[incarnation]?.adoption == nil {
        processes[incarnation]?.fault = .notReady
      }
      if step == .spawn, let process = processes.removeValue(forKey: incarnation),
        process.fault != nil
      {
        noteDeath(of: process, .notReady)
      }
      send(
        .stepFailed(incarnation, step, StartFailure(reason: "refused", isRetryable: retryable)))
    case .reports(let incarnation, let degraded):
      guard let process = processes[incarnation] else { return }
      processes[incarnation]?.progress += 1
      processes[incarnation]?.lastProgress = now
      send(
        .reported(
          incarnation,
          HealthReport(
            progress: process.progress + 1, degradation: degraded ? "a part is missing" : "")))
    case .drainFails(let incarnation): send(.drainFailed(incarnation))
    case .ends(let incarnation, let end):
      let isBeingEnded = isBeingEnded(incarnation)
      guard let process = processes.removeValue(forKey: incarnation) else { return }
      gone = Array(([incarnation] + gone).prefix(8))
      if !isBeingEnded {
        noteDeath(
          of: process,
          end == .outOfMemory ? .outOfMemory : end == .exitCode(0) ? .exitZero : .crash)
      } else if let fault = process.fault {
        noteDeath(
          of: process,
          end == .outOfMemory ? .outOfMemory : fault)
      }
      send(.exited(incarnation, end))
    }
  }

  private mutating func note(_ event: SupervisionEvent) {
    guard !isShuttingDown else { return }
    switch event {
    case .wantedUp(let name): ask(for: name)
    case .restartAsked(let names): names.forEach { ask(for: $0) }
    case .replacementAsked(let candidate):
      ask(for: candidate.name)
      candidates[candidate.name] = candidate
    case .wantedDown(let name):
      wanted.remove(name)
      forgive(name)
      candidates[name] = nil
    case .specified(let graph):
      let before = Set(self.graph.startOrder)
      self.graph = graph
      for worker in graph.workers {
        if !before.contains(worker.name), worker.wanted { wanted.insert(worker.name) }
        if specifications[worker.name]?.revision != worker.revision
          || candidates[worker.name] != nil || self[worker.name]?.revision != worker.revision
        {
          forgive(worker.name)
        }
        // What was granted under the budget of before may be above the new one.
        if specifications[worker.name]?.restart != worker.restart {
          restarts[worker.name] = []
          deaths[worker.name] = nil
        }
        specifications[worker.name] = worker
        candidates[worker.name] = nil
        highest[worker.name] = max(highest[worker.name] ?? 0, worker.lastGeneration)
      }
      for name in before.subtracting(graph.startOrder) {
        wanted.remove(name)
        forgive(name)
      }
    case .shutDownAsked:
      isShuttingDown = true
      wanted = []
    default: break
    }
  }

  private mutating func ask(for name: String) {
    guard graph.startOrder.contains(name) else { return }
    for other in requirements(of: name).union([name]) {
      wanted.insert(other)
      forgive(other)
    }
  }

  /// Who asks for a worker gives it a new budget.
  private mutating func forgive(_ name: String) {
    deaths[name] = nil
    restarts[name] = []
    for process in processes(of: name) {
      processes[process.incarnation]?.fault = nil
      if isBeingEnded(process.incarnation) {
        processes[process.incarnation]?.isForgiven = true
      }
    }
  }

  /// Takes note of a death of a worker's main process that nobody asked for; others leave the main
  /// one where it is, and of one that was only tried the worker takes no harm.
  private mutating func noteDeath(of process: SimulatedProcess, _ cause: RestartPolicy.Cause) {
    let name = process.incarnation.worker
    guard supervisor.snapshot(of: name)?.generation == process.incarnation.generation,
      candidates[name]?.revision != process.revision,
      !processes(of: name).contains(where: {
        $0.incarnation.generation > process.incarnation.generation
      })
    else { return }
    deaths[name] = cause
  }

  private func isBeingEnded(_ incarnation: Incarnation) -> Bool {
    guard processes[incarnation]?.isEnding == false else { return true }
    let snapshot = supervisor.snapshot(of: incarnation.worker)
    return snapshot?.state == .draining && snapshot?.generation == incarnation.generation
  }

  // MARK: Promises

  private mutating func carryOut(_ action: SupervisionAction) {
    switch action {
    case .spawn(let incarnation, let revision): spawn(incarnation, revision)
    case .perform(let step, let incarnation):
      expectLive(incarnation, "step \(step)")
      processes[incarnation]?.pending = step
    case .publish(let incarnation):
      expectLive(incarnation, "publish")
      if processes[incarnation]?.isReady == false {
        violations.append("\(incarnation): published before it was ready")
      }
      if let before = published[incarnation.worker], before >= incarnation.generation {
        violations.append("\(incarnation): published after generation \(before)")
      }
      published[incarnation.worker] = incarnation.generation
    case .withdraw(let incarnation):
      if published[incarnation.worker] != incarnation.generation {
        violations.append("\(incarnation): withdrawn though it was not published")
      }
      published[incarnation.worker] = nil
    case .drain(let incarnation, _):
      expectLive(incarnation, "drain")
      expectNotPublished(incarnation)
      expectDependentsGone(incarnation)
      processes[incarnation]?.isDraining = true
    case .terminate(let incarnation):
      expectLive(incarnation, "SIGTERM")
      expectNotPublished(incarnation)
      if let process = processes[incarnation], !process.isEnding, !process.isForgiven,
        !endedBefore.contains(incarnation),
        process.adoption == nil,
        let limit = specifications[incarnation.worker]?.limits.start, now - process.since >= limit
      {
        processes[incarnation]?.fault = .notReady
      }
      processes[incarnation]?.isTerminated = true
    case .kill(let incarnation):
      expectLive(incarnation, "SIGKILL")
      expectNotPublished(incarnation)
      // One that does not end at once is killed again, whatever it said in between.
      if processes[incarnation]?.isTerminated == false, processes[incarnation]?.isKilled == false {
        expectSilence(incarnation)
        if processes[incarnation]?.isForgiven == false {
          processes[incarnation]?.fault = .stuck
        }
      }
      processes[incarnation]?.isKilled = true
    case .note: break
    }
  }

  private mutating func spawn(_ incarnation: Incarnation, _ revision: UInt64) {
    let name = incarnation.worker
    let others = processes(of: name)
    let specification = specifications[name]
    if others.count > 1 || !others.isEmpty && specification?.overlap != true {
      violations.append("\(incarnation): started beside \(others.map(\.incarnation))")
    }
    if incarnation.generation != (highest[name] ?? 0) + 1 {
      violations.append("\(incarnation): generation does not follow \(highest[name] ?? 0)")
    }
    if isShuttingDown { violations.append("\(incarnation): started during the shutdown") }
    if !wanted.contains(name) { violations.append("\(incarnation): started though not wanted") }
    if revision != specification?.revision && revision != candidates[name]?.revision {
      violations.append("\(incarnation): started from revision \(revision)")
    }
    for requirement in specification?.requires ?? [] where !isMet(requirement) {
      violations.append("\(incarnation): started though \(requirement.name) was not well enough")
    }
    if let cause = deaths[name], others.isEmpty || others.allSatisfy(\.isEnding) {
      deaths[name] = nil
      if quarantined.remove(name) == nil {
        restarts[name, default: []].append(Restart(at: now, cause: cause))
        checkBudget(of: name, cause)
      }
    }
    highest[name] = incarnation.generation
    processes[incarnation] = SimulatedProcess(
      incarnation: incarnation, revision: revision, pending: .spawn, since: now, lastProgress: now)
  }

  /// Whether it may turn out to be well.
  private func isBeingAdopted(_ name: String) -> Bool {
    self[name].map { $0.adoption != nil && !$0.isReady && !$0.isEnding } ?? false
  }

  private func isMet(_ requirement: Requirement) -> Bool {
    switch requirement.health {
    case .started:
      // Only the main one counts: one that is to take over has not.
      guard let main = self[requirement.name] else { return false }
      let hasProved = main.reached == .adopt || (main.reached ?? .spawn) >= .handshake
      return hasProved && !main.isEnding
    case .ready, .live: return published[requirement.name] != nil
    }
  }

  private mutating func expectLive(_ incarnation: Incarnation, _ what: String) {
    guard let process = processes[incarnation] else {
      violations.append("\(incarnation): \(what) for a process that is not there")
      return
    }
    if what.hasPrefix("SIG") && !process.isBorn {
      violations.append("\(incarnation): \(what) before there was a pid")
    }
  }

  private mutating func expectNotPublished(_ incarnation: Incarnation) {
    if published[incarnation.worker] == incarnation.generation {
      violations.append("\(incarnation): ended while callers were told of it")
    }
  }

  /// Only a process that showed no progress for its watchdog time, or did not prove itself to the
  /// next host within it, is killed without further notice.
  private mutating func expectSilence(_ incarnation: Incarnation) {
    guard let process = processes[incarnation] else { return }
    guard let watchdog = process.watchdog else {
      violations.append("\(incarnation): SIGKILL without SIGTERM before it")
      return
    }
    let silentSince = process.isReady ? process.lastProgress : process.since
    if process.isReady || process.adoption != nil, now - silentSince >= watchdog { return }
    violations.append(
      "\(incarnation): killed as stuck after \(now - process.lastProgress) of \(watchdog)")
  }

  private mutating func expectDependentsGone(_ incarnation: Incarnation) {
    guard isShuttingDown else { return }
    for other in allProcesses
    where specifications[other.incarnation.worker]?.requires
      .contains(where: { $0.name == incarnation.worker }) == true
    {
      violations.append("\(incarnation): ended by the shutdown before \(other.incarnation)")
    }
  }

  private mutating func checkBudget(of name: String, _ cause: RestartPolicy.Cause) {
    guard let policy = specifications[name]?.restart else { return }
    let own = policy.budgets[cause]
    let budget = own ?? policy.budget
    let counted = (restarts[name] ?? []).filter {
      now - $0.at < budget.period
        && (own == nil ? policy.budgets[$0.cause] == nil : $0.cause == cause)
    }
    if counted.count > budget.intensity {
      violations.append(
        "\(name): \(counted.count) restarts because of \(cause) within \(budget.period)")
    }
  }

  private mutating func checkState() {
    var believed: Set<Incarnation> = []
    for snapshot in supervisor.snapshots {
      let name = snapshot.name
      believed.formUnion(snapshot.processes)
      if snapshot.state == .quarantined { quarantined.insert(name) }
      if (snapshot.state == .ready) != (published[name] != nil) {
        violations.append("\(name): \(snapshot.state) but published differs")
      }
      if snapshot.processes.count > 2 { violations.append("\(name): three processes") }
      for requirement in specifications[name]?.requires ?? []
      where requirement.onLoss == .hold && published[name] != nil && !isMet(requirement)
        && !isBeingAdopted(requirement.name)
      {
        violations.append("\(name): callers are not held without \(requirement.name)")
      }
      if isWedged(snapshot) { violations.append("\(name): wedged in \(snapshot.state)") }
      settleTrial(of: snapshot)
    }
    if believed != Set(processes.keys) {
      violations.append("believed processes \(believed), there are \(Set(processes.keys))")
    }
  }

  /// A candidate is what the worker is from when a process of it is ready.
  private mutating func settleTrial(of snapshot: WorkerSnapshot) {
    guard let candidate = candidates[snapshot.name] else { return }
    if snapshot.health.isReady, snapshot.revision == candidate.revision {
      specifications[snapshot.name] = candidate.requiring(
        specifications[snapshot.name]?.requires ?? [])
      candidates[snapshot.name] = nil
    } else if snapshot.failedReplacement != nil {
      candidates[snapshot.name] = nil
    }
  }

  /// Whether a worker's state can only be left by somebody's order, though it should leave by
  /// itself.
  private func isWedged(_ snapshot: WorkerSnapshot) -> Bool {
    let hasDeadline = supervisor.nextDeadline != nil
    let requires = specifications[snapshot.name]?.requires ?? []
    switch snapshot.state {
    case .stopped, .ready, .quarantined, .finished: return false
    case .backingOff: return snapshot.nextStart == nil
    case .starting: return !hasDeadline
    case .draining:
      return !hasDeadline && !processes(of: snapshot.name).contains { $0.pending != nil }
    // Something that it requires must be missing, or on its way.
    case .waiting:
      return requires.allSatisfy { $0.health != .live && isMet($0) }
        && !snapshot.reason.hasPrefix("waits until")
    case .held: return requires.allSatisfy { $0.health != .live && isMet($0) }
    }
  }

  private func requirements(of name: String) -> Set<String> {
    var all: Set<String> = []
    for other in specifications[name]?.requires ?? [] {
      all.formUnion(requirements(of: other.name).union([other.name]))
    }
    return all
  }

  // MARK: The end

  /// Lets everything go right from here on: then every wanted worker must become ready and every
  /// other be gone.
  public mutating func calmDown() {
    for name in supervisor.startOrder where !isShuttingDown { send(.wantedUp(worker: name)) }
    for _ in 0..<10_000 where violations.isEmpty {
      if let process = allProcesses.first(where: { $0.pending != nil }) {
        happen(.stepSucceeds(process.incarnation))
      } else if let process = allProcesses.first(where: \.isEnding) {
        happen(.ends(process.incarnation, .exitCode(0)))
      } else if isCalm {
        return
      } else {
        for process in allProcesses where process.isReady && !process.isEnding {
          happen(.reports(process.incarnation, degraded: false))
        }
        guard supervisor.nextDeadline != nil else { break }
        advanceToNextDeadline()
      }
    }
    for snapshot in supervisor.snapshots where !isCalm(snapshot) {
      violations.append("\(snapshot.name): ends as \(snapshot.state), \(snapshot.reason)")
    }
  }

  private var isCalm: Bool { supervisor.snapshots.allSatisfy(isCalm) }

  private func isCalm(_ snapshot: WorkerSnapshot) -> Bool {
    if isShuttingDown { return snapshot.state == .stopped }
    switch snapshot.state {
    case .ready:
      return snapshot.processes.count == 1 && snapshot.isSettled
        && (snapshot.revision == specifications[snapshot.name]?.revision
          || snapshot.failedReplacement != nil)
    case .finished: return true
    case .quarantined: return snapshot.nextStart == nil
    case .waiting, .held: return snapshot.isSettled
    case .stopped, .starting, .draining, .backingOff: return false
    }
  }
}

extension WorkerGraph {
  /// The same workers, of whom these generations were used.
  fileprivate func used(_ generations: [String: UInt64]) -> WorkerGraph {
    var workers = workers
    for index in workers.indices {
      workers[index].lastGeneration = generations[workers[index].name] ?? 0
    }
    do {
      return try WorkerGraph(workers)
    } catch {
      preconditionFailure("nothing has changed in what they require: \(error)")
    }
  }
}

extension WorkerSpecification {
  fileprivate func requiring(_ requires: [Requirement]) -> WorkerSpecification {
    var changed = self
    changed.requires = requires
    return changed
  }
}

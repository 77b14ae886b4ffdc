import KithManifest
import KithSupervision

/// The processes that a supervisor believes to lead: carries its actions out, lets things go right or wrong as it is told,
/// and keeps the promises that the supervisor must keep.
struct SimulatedWorld: Hashable {
  /// A process, from the order to create it until its end was reported.
  struct Process: Hashable {
    var incarnation: Incarnation
    /// The step that the supervisor waits for; nil when none is under way.
    var pending: StartStep?
    var isPublished = false
    var isDraining = false
    var isTerminated = false
    var isKilled = false
    /// Whether there is a pid: signals can reach it.
    var isBorn = false
  }

  /// What can happen next to a process.
  enum Happening: Hashable {
    case stepSucceeds(Incarnation)
    case stepFails(Incarnation, retryable: Bool)
    case drainFails(Incarnation)
    case ends(Incarnation, ProcessEnd)
  }

  var supervisor: Supervisor
  let specifications: [String: WorkerSpecification]
  var now = Moment.start
  var processes: [String: Process] = [:]
  var highest: [String: UInt64] = [:]
  /// When unasked restarts happened.
  var restarts: [String: [Moment]] = [:]
  var diedUnasked: Set<String> = []
  /// Who was in quarantine before the present event: the one retry after it does not count against the budget.
  var quarantined: Set<String> = []
  var asked: Set<String> = []
  var isShuttingDown = false
  var violations: [String] = []

  init(_ workers: [WorkerSpecification], seed: UInt64) throws {
    supervisor = try Supervisor(workers, jitterSeed: seed)
    specifications = Dictionary(uniqueKeysWithValues: workers.map { ($0.name, $0) })
    for worker in workers { highest[worker.name] = worker.lastGeneration }
  }

  // MARK: Events

  mutating func send(_ event: SupervisionEvent) {
    switch event {
    case .wantedUp(let name), .restartAsked(let name):
      for other in requirements(of: name).union([name]) {
        asked.insert(other)
        // Who asks for a worker gives it a new budget.
        restarts[other] = []
      }
    case .wantedDown(let name):
      asked.insert(name)
      restarts[name] = []
    case .shutDownAsked: isShuttingDown = true
    default: break
    }
    quarantined = Set(supervisor.snapshots.filter { $0.state == .quarantined }.map(\.name))
    for action in supervisor.handle(event, at: now) { carryOut(action) }
    checkState()
  }

  mutating func advanceToNextDeadline() {
    guard let deadline = supervisor.nextDeadline else { return }
    now = max(now, deadline)
    send(.timePassed)
  }

  mutating func happen(_ happening: Happening) {
    switch happening {
    case .stepSucceeds(let incarnation):
      guard let step = processes[incarnation.worker]?.pending else { return }
      processes[incarnation.worker]?.pending = step == .spawn ? .listen : nil
      if step == .spawn { processes[incarnation.worker]?.isBorn = true }
      send(.stepCompleted(incarnation, step))
    case .stepFails(let incarnation, let retryable):
      guard let step = processes[incarnation.worker]?.pending else { return }
      processes[incarnation.worker]?.pending = nil
      if step == .spawn { processes[incarnation.worker] = nil }
      send(
        .stepFailed(incarnation, step, StartFailure(reason: "refused", isRetryable: retryable)))
    case .drainFails(let incarnation): send(.drainFailed(incarnation))
    case .ends(let incarnation, let end):
      if let process = processes[incarnation.worker], !process.isDraining, !process.isTerminated {
        diedUnasked.insert(incarnation.worker)
      }
      processes[incarnation.worker] = nil
      send(.exited(incarnation, end))
    }
  }

  /// All that could happen next.
  func happenings(ends: [ProcessEnd]) -> [Happening] {
    var all: [Happening] = []
    for name in supervisor.startOrder {
      guard let process = processes[name] else { continue }
      if process.pending != nil {
        all.append(.stepSucceeds(process.incarnation))
        if process.pending != .listen {
          all.append(.stepFails(process.incarnation, retryable: true))
          all.append(.stepFails(process.incarnation, retryable: false))
        }
      }
      if process.isDraining && !process.isTerminated {
        all.append(.drainFails(process.incarnation))
      }
      if process.isBorn { all += ends.map { .ends(process.incarnation, $0) } }
    }
    return all
  }

  // MARK: Promises

  private mutating func carryOut(_ action: SupervisionAction) {
    switch action {
    case .spawn(let incarnation):
      let name = incarnation.worker
      if processes[name] != nil { violations.append("\(incarnation): a second process") }
      if incarnation.generation != (highest[name] ?? 0) + 1 {
        violations.append("\(incarnation): generation does not follow \(highest[name] ?? 0)")
      }
      if isShuttingDown { violations.append("\(incarnation): started during the shutdown") }
      for other in specifications[name]?.requires ?? [] where processes[other]?.isPublished != true
      {
        violations.append("\(incarnation): started before \(other) was ready")
      }
      if diedUnasked.remove(name) != nil, !asked.contains(name),
        !quarantined.contains(name)
      {
        restarts[name, default: []].append(now)
        checkBudget(of: name)
      }
      asked.remove(name)
      highest[name] = incarnation.generation
      processes[name] = Process(incarnation: incarnation, pending: .spawn)
    case .perform(let step, let incarnation):
      expectLive(incarnation, "step \(step)")
      processes[incarnation.worker]?.pending = step
    case .publish(let incarnation):
      expectLive(incarnation, "publish")
      if processes[incarnation.worker]?.isPublished == true {
        violations.append("\(incarnation): published twice")
      }
      processes[incarnation.worker]?.isPublished = true
    case .withdraw(let incarnation):
      // The process may have ended: that is one reason to withdraw it.
      if highest[incarnation.worker] != incarnation.generation {
        violations.append("\(incarnation): withdrawn though it is stale")
      }
      processes[incarnation.worker]?.isPublished = false
    case .drain(let incarnation, _):
      expectLive(incarnation, "drain")
      expectDependentsGone(incarnation)
      processes[incarnation.worker]?.isDraining = true
    case .terminate(let incarnation):
      expectLive(incarnation, "SIGTERM")
      if processes[incarnation.worker]?.isDraining == false { expectDependentsGone(incarnation) }
      processes[incarnation.worker]?.isTerminated = true
    case .kill(let incarnation):
      expectLive(incarnation, "SIGKILL")
      if processes[incarnation.worker]?.isTerminated == false {
        violations.append("\(incarnation): SIGKILL without SIGTERM before it")
      }
      processes[incarnation.worker]?.isKilled = true
    case .note: break
    }
  }

  private mutating func expectLive(_ incarnation: Incarnation, _ what: String) {
    guard let process = processes[incarnation.worker], process.incarnation == incarnation else {
      violations.append("\(incarnation): \(what) for a process that is not there")
      return
    }
    if what.hasPrefix("SIG") && !process.isBorn {
      violations.append("\(incarnation): \(what) before there was a pid")
    }
  }

  private mutating func expectDependentsGone(_ incarnation: Incarnation) {
    // Only a process whose own start went on or went well is ended by the shutdown; one that failed to start ends anyway.
    guard isShuttingDown, processes[incarnation.worker]?.isPublished == true else { return }
    for (name, specification) in specifications
    where specification.requires.contains(incarnation.worker) && processes[name] != nil {
      violations.append("\(incarnation): ended by the shutdown before \(name)")
    }
  }

  private mutating func checkBudget(of name: String) {
    guard let policy = specifications[name]?.restart else { return }
    let counted = (restarts[name] ?? []).filter { now - $0 < policy.period }
    if counted.count > policy.intensity {
      violations.append("\(name): \(counted.count) restarts within \(policy.period)")
    }
  }

  private mutating func checkState() {
    for snapshot in supervisor.snapshots {
      let process = processes[snapshot.name]
      if snapshot.hasProcess != (process != nil) {
        violations.append("\(snapshot.name): believed process \(snapshot.hasProcess)")
      }
      if (snapshot.state == .ready) != (process?.isPublished == true) {
        violations.append("\(snapshot.name): \(snapshot.state) but published differs")
      }
      if isWedged(snapshot) { violations.append("\(snapshot.name): wedged in \(snapshot.state)") }
    }
  }

  /// Whether a worker's state can only be left by somebody's order, though it should leave by itself.
  private func isWedged(_ snapshot: WorkerSnapshot) -> Bool {
    switch snapshot.state {
    case .stopped, .ready, .quarantined, .finished: false
    case .backingOff: snapshot.nextStart == nil
    case .starting: supervisor.nextDeadline == nil
    case .draining: supervisor.nextDeadline == nil && processes[snapshot.name]?.pending == nil
    case .waiting:
      // Something that it requires must not be ready.
      (specifications[snapshot.name]?.requires ?? []).allSatisfy {
        processes[$0]?.isPublished == true
      }
    }
  }

  private func requirements(of name: String) -> Set<String> {
    var all: Set<String> = []
    for other in specifications[name]?.requires ?? [] {
      all.formUnion(requirements(of: other).union([other]))
    }
    return all
  }
}

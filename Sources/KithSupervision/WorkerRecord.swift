import KithManifest

/// What the supervisor remembers of a worker.
///
/// A worker has at most two processes: the main one, and beside it either its successor, on its way
/// to be ready, or its predecessor, on its way out.
struct WorkerRecord: Hashable, Sendable {
  /// Which of a worker's processes.
  enum Slot: Hashable, Sendable, CaseIterable {
    /// The one that serves or will serve.
    case main
    /// The one that takes over when it is ready.
    case successor
    /// The one that has been taken over from.
    case predecessor
  }

  /// What keeps a wanted worker without a process from being started.
  enum Hold: Hashable, Sendable {
    case none
    case backoff(until: Moment)
    case quarantine(until: Moment?, reason: String)
    case finished
  }

  var specification: WorkerSpecification
  /// What somebody wants tried in place of the specification; it becomes that when a process of it
  /// is ready, and is dropped when one is not.
  var candidate: WorkerSpecification?
  var isWanted: Bool
  /// Whether it is no longer part of the product: it is forgotten when its last process is gone.
  var isRetired = false

  var main: ProcessRecord?
  var successor: ProcessRecord?
  var predecessor: ProcessRecord?
  /// The latest generation that was given out.
  var generation: UInt64
  /// The process that callers are told of.
  var published: UInt64?

  /// Whether a new process is to be started beside the main one.
  var replacementWanted = false
  /// Why the processes are to be ended as soon as those that require the worker, and end too, are
  /// gone.
  var pendingEnd: EndPurpose?
  /// Workers that are replaced in one action with this one, and first.
  var awaits: Set<String> = []

  var hold = Hold.none
  var history = RestartHistory()
  /// Why the next start is a restart that nobody asked for; nil when it is none.
  var restartCause: RestartPolicy.Cause?
  /// How much of its budget was used when that restart was granted.
  var budgetUse: RestartHistory.Use?
  /// How many of those there were.
  var restarts = 0
  var lastExit: WorkerSnapshot.Exit?
  var failedReplacement: WorkerSnapshot.FailedReplacement?

  init(_ specification: WorkerSpecification) {
    self.specification = specification
    isWanted = specification.wanted
    generation = specification.lastGeneration
  }

  /// What the next process is made from.
  var nextSpecification: WorkerSpecification { candidate ?? specification }

  subscript(slot: Slot) -> ProcessRecord? {
    get {
      switch slot {
      case .main: main
      case .successor: successor
      case .predecessor: predecessor
      }
    }
    set {
      switch slot {
      case .main: main = newValue
      case .successor: successor = newValue
      case .predecessor: predecessor = newValue
      }
    }
  }

  /// Where a process is; nil for one that is not there any more.
  func slot(of generation: UInt64) -> Slot? {
    if main?.generation == generation { return .main }
    if successor?.generation == generation { return .successor }
    return predecessor?.generation == generation ? .predecessor : nil
  }

  func incarnation(_ process: ProcessRecord) -> Incarnation {
    Incarnation(worker: specification.name, generation: process.generation)
  }

  var processes: [ProcessRecord] { Slot.allCases.compactMap { self[$0] } }
  var hasProcess: Bool { main != nil || successor != nil || predecessor != nil }
  /// Whether a process of it is being ended, or is to be.
  var isLeaving: Bool {
    hasProcess && (pendingEnd != nil || processes.contains { $0.ending != nil })
  }
  /// Whether a new process is to come, or on its way to take over.
  var isBeingReplaced: Bool {
    successor != nil || pendingEnd != nil || replacementWanted && failedReplacement == nil
  }

  /// When the supervisor must look at the worker again.
  var deadline: Moment? {
    // Asked after every event, for every worker: without a list.
    var earliest: Moment?
    func note(_ moment: Moment?) {
      guard let moment else { return }
      earliest = earliest.map { min($0, moment) } ?? moment
    }
    note(main?.deadline)
    note(successor?.deadline)
    note(predecessor?.deadline)
    switch hold {
    case .backoff(let until): note(until)
    case .quarantine(let until, _): note(until)
    case .none, .finished: break
    }
    return earliest
  }
}

/// What the supervisor remembers of a worker.
struct WorkerRecord: Hashable, Sendable {
  /// Where the worker's process is.
  enum Phase: Hashable, Sendable {
    /// There is none. Next: `starting`.
    case absent
    /// It is on its way to be ready. Next: `ready`, `ending` or `absent`.
    case starting(StartStep, deadline: Moment)
    /// It is ready. Next: `ending` or `absent`.
    case ready(since: Moment)
    /// It is being ended. Next: `absent`.
    case ending(Ending)
  }

  /// The end of a process that the supervisor brings about.
  struct Ending: Hashable, Sendable {
    enum Stage: Hashable, Sendable {
      /// Its creation has not been confirmed; as soon as it is, it is ended.
      case unborn
      case draining
      case terminating
      case killing
    }

    enum Purpose: Hashable, Sendable {
      /// It is not wanted any more.
      case stop
      /// Somebody wants a new one.
      case restart
      /// A worker died whose strategy takes this one along.
      case escalation(from: String)
      /// Its start did not succeed.
      case failure(StartFailure)
    }

    var stage: Stage
    var purpose: Purpose
    /// When the next stage begins; nil while the process is unborn.
    var deadline: Moment?
  }

  /// What keeps a wanted worker without a process from being started.
  enum Hold: Hashable, Sendable {
    case none
    case backoff(until: Moment)
    case quarantine(until: Moment?, reason: String)
    case finished
  }

  var specification: WorkerSpecification
  var isWanted: Bool
  var phase = Phase.absent
  var hold = Hold.none
  /// The latest generation that was given out.
  var generation: UInt64
  var history = RestartHistory()
  /// Whether the next start is a restart that nobody asked for.
  var restartsByItself = false
  /// How many of those there were.
  var restarts = 0
  var lastExit: WorkerSnapshot.Exit?

  init(_ specification: WorkerSpecification) {
    self.specification = specification
    isWanted = specification.wanted
    generation = specification.lastGeneration
  }

  var incarnation: Incarnation {
    Incarnation(worker: specification.name, generation: generation)
  }

  var hasProcess: Bool { phase != .absent }

  var isReady: Bool {
    if case .ready = phase { true } else { false }
  }

  var isEnding: Bool {
    if case .ending = phase { true } else { false }
  }

  /// When the supervisor must look at the worker again.
  var deadline: Moment? {
    switch phase {
    case .starting(_, let deadline): return deadline
    case .ready: return nil
    case .ending(let ending): return ending.deadline
    case .absent:
      switch hold {
      case .backoff(let until): return until
      case .quarantine(let until, _): return until
      case .none, .finished: return nil
      }
    }
  }
}

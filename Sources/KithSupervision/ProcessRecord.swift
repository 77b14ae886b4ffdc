/// What the supervisor remembers of one process of a worker.
struct ProcessRecord: Hashable, Sendable {
  /// Where the process is.
  enum Phase: Hashable, Sendable {
    /// It is on its way to be ready. Next: `serving`, `ending`, or gone.
    case starting(StartStep, deadline: Moment)
    /// It is ready. Next: `ending`, or gone.
    case serving(Serving)
    /// It is being ended. Next: gone.
    case ending(Ending)
  }

  /// A process that is ready.
  struct Serving: Hashable, Sendable {
    var since: Moment
    var watch: Watch
    /// Why it is degraded; empty when it is whole.
    var degradation = ""
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

    var stage: Stage
    var purpose: EndPurpose
    /// When the next stage begins; nil while the process is unborn.
    var deadline: Moment?
    /// Since when it had been ready; nil when it never was.
    var readySince: Moment?
  }

  let generation: UInt64
  /// The definition that it was made from.
  let revision: UInt64
  var phase: Phase
  /// Whether an earlier host started it.
  var isAdopted = false

  /// Whether an earlier host started it and it has not shown yet how it is.
  var isBeingAdopted: Bool {
    if case .starting = phase { isAdopted } else { false }
  }

  var serving: Serving? {
    if case .serving(let serving) = phase { serving } else { nil }
  }

  var ending: Ending? {
    if case .ending(let ending) = phase { ending } else { nil }
  }

  /// Whether both sides have proved who they are, and nobody has begun to end it.
  var isStarted: Bool {
    switch phase {
    case .starting(let step, _): step > .handshake
    case .serving: true
    case .ending: false
    }
  }

  /// When the supervisor must look at the process again.
  var deadline: Moment? {
    switch phase {
    case .starting(_, let deadline): deadline
    case .serving(let serving): serving.watch.nextLook
    case .ending(let ending): ending.deadline
    }
  }
}

/// Why the supervisor ends a process.
enum EndPurpose: Hashable, Sendable {
  /// The worker is not wanted any more.
  case stop
  /// Somebody wants a new process, or the worker's definition has changed.
  case restart
  /// A newer generation has taken over.
  case replaced(by: UInt64)
  /// A worker died whose strategy takes this one along.
  case companion(of: String)
  /// A worker that this one must be restarted with is not well enough any more.
  case lost(String)
  /// An earlier host had started it, and it is not fit to be led by this one.
  case notAdopted(String)
  /// Its start did not succeed.
  case failure(StartFailure)
  /// It showed no progress for so long.
  case stuck(Duration)

  /// The purpose in a sentence about the worker.
  var forPeople: String {
    switch self {
    case .stop: "is being stopped"
    case .restart: "is being restarted"
    case .replaced(let generation): "generation \(generation) has taken over"
    case .companion(let other): "is restarted because \(other) died"
    case .lost(let other): "is restarted with \(other), which is not as well as it must be"
    case .notAdopted(let reason): "is not taken over from the earlier host: \(reason)"
    case .failure(let failure): failure.reason
    case .stuck(let time): "stuck: it has shown no progress for \(time.forPeople)"
    }
  }

  /// What brought the end about, for people, where neither the process itself nor what somebody
  /// asked for says it.
  var afterwards: String? {
    switch self {
    case .companion(let other): "was restarted because \(other) died"
    case .lost(let other): "was restarted with \(other), which was not as well as it must be"
    case .notAdopted(let reason): "was not taken over from the earlier host: \(reason)"
    case .stop, .restart, .replaced, .failure, .stuck: nil
    }
  }

  /// Whether the worker itself is to blame.
  var isFault: Bool {
    switch self {
    case .failure, .stuck: true
    case .stop, .restart, .replaced, .companion, .lost, .notAdopted: false
    }
  }
}

import KithRPC

/// Where a worker is in its life, since when, and what belongs to that: its configuration, its
/// services, the end of its drain.
///
/// ``WorkerLifecycle`` decides what may come next. What does not take place changes nothing here.
struct WorkerState: Sendable {
  /// What the host has handed over.
  struct Configured: Sendable {
    var configuration = WorkerConfiguration()
    /// Where the host's control service is; empty without one.
    var hostAddress = ""
  }

  /// The time that is left to a worker that was told to end.
  struct Drain: Sendable {
    /// Until when new calls are taken: those that were on their way when callers were told.
    let lingersUntil: ContinuousClock.Instant
    /// Until when calls in progress may go on.
    let ends: ContinuousClock.Instant
    /// How long new calls are taken.
    let linger: Duration
    /// How long calls in progress may go on after that.
    let gracePeriod: Duration

    init(linger: Duration, gracePeriod: Duration) {
      self.linger = linger
      self.gracePeriod = gracePeriod
      lingersUntil = .now + linger
      ends = lingersUntil + gracePeriod
    }
  }

  private var lifecycle = WorkerLifecycle()
  /// Since when the worker is in its phase.
  private(set) var since = ContinuousClock.now
  private(set) var configured = Configured()
  /// The services that it serves, its own first.
  private(set) var services: [ServiceDefinition]
  /// Why it could not start; empty unless the phase is `failed`.
  private(set) var failure = ""
  /// The drain; nil until the worker was told to end.
  private(set) var drain: Drain?

  /// A worker that serves what every worker does.
  init(services: [ServiceDefinition]) { self.services = services }

  var phase: WorkerLifecycle.Phase { lifecycle.phase }

  /// Checks that the host has proved itself.
  func checkProven() throws(RPCError) { try lifecycle.checkProven() }

  mutating func handshake(
    isProven: Bool, versions: ClosedRange<UInt32>
  ) throws(RPCError) -> UInt32 {
    try step { lifecycle throws(RPCError) in
      try lifecycle.handshake(isProven: isProven, versions: versions)
    }
  }

  mutating func configure(_ configured: Configured) throws(RPCError) {
    try step { lifecycle throws(RPCError) in try lifecycle.configure() }
    self.configured = configured
  }

  /// Another configuration has been taken over while the worker is ready.
  mutating func reconfigured(_ configuration: WorkerConfiguration) {
    configured.configuration = configuration
  }

  mutating func start() throws(RPCError) {
    try step { lifecycle throws(RPCError) in try lifecycle.start() }
  }

  /// The worker's own services have been made and are served.
  mutating func becameReady(serving own: [ServiceDefinition]) throws(RPCError) {
    try step { lifecycle throws(RPCError) in try lifecycle.started(true) }
    services = own + services
  }

  /// The worker's own services could not be made or served.
  mutating func failed(_ reason: String) throws(RPCError) {
    try step { lifecycle throws(RPCError) in try lifecycle.started(false) }
    failure = reason
  }

  /// The host wants the worker to end; new calls are taken for a moment.
  mutating func drain(
    _ gracePeriod: Duration, linger: Duration
  ) throws(RPCError) -> WorkerLifecycle.Ending {
    let ending = try step { lifecycle throws(RPCError) in try lifecycle.drain(gracePeriod) }
    begin(ending, linger: linger)
    return ending
  }

  /// A signal wants the process to end.
  mutating func terminate(_ gracePeriod: Duration) -> WorkerLifecycle.Ending {
    let before = phase
    let ending = lifecycle.terminate(gracePeriod)
    if phase != before { since = .now }
    begin(ending, linger: .zero)
    return ending
  }

  /// The drain is over.
  mutating func drained() {
    lifecycle.drained()
    since = .now
  }

  private mutating func begin(_ ending: WorkerLifecycle.Ending, linger: Duration) {
    if case .drain(let gracePeriod) = ending {
      drain = Drain(linger: linger, gracePeriod: gracePeriod)
    }
  }

  /// Takes a step and notes since when its phase lasts.
  private mutating func step<Value>(
    _ body: (inout WorkerLifecycle) throws(RPCError) -> Value
  ) throws(RPCError) -> Value {
    let before = phase
    let value = try body(&lifecycle)
    if phase != before { since = .now }
    return value
  }
}

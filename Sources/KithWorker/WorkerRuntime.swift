import Crypto
import HealthContract
import KithIdentity
import KithRPC
import KithTelemetry
import KithTime
import Logging
import MetricsContract
import ReflectionContract
import Synchronization
import WorkerContract

/// A worker from the moment it listens until its process may leave: carries out what ``WorkerLifecycle`` decides.
///
/// It ends no process and reads no signal, so that tests run it over a transport in memory.
final class WorkerRuntime: Sendable {
  /// Makes the worker's own services, once, when it has been configured.
  typealias MakeServices = @Sendable (WorkerContext) async throws -> [ServiceDefinition]

  /// How a worker's run ended.
  enum Outcome: Sendable, Equatable {
    /// All calls in progress ended, or their time was up. The process leaves with exit code 0.
    case drained
    /// A second signal came. The process leaves at once.
    case cutShort
  }

  private struct State {
    var lifecycle = WorkerLifecycle()
    var since: ContinuousClock.Instant
    var configuration = WorkerConfiguration()
    var hostAddress = ""
    var failure = ""
    var services: [ServiceDefinition] = []
    var door: NetworkDoor?
    /// How long new calls are still taken once the worker was told to end.
    var linger = Duration.zero
    /// Until when new calls are taken, and those in progress may go on; nil until it was told to end.
    var drain: (lingersUntil: ContinuousClock.Instant, ends: ContinuousClock.Instant)?
  }

  private static let interceptors: [any ServerInterceptor] = [
    RedactingInterceptor(), TracingInterceptor(), MetricsInterceptor(),
  ]

  private let record: LaunchRecord
  private let process: ProcessIdentity
  private let proof: Proof
  private let logger: Logger
  let logThreshold: LogThreshold
  private let health: WorkerHealth
  /// The clocks that the worker's own code goes by; what leads its life goes by the machine's.
  private let workerClock: WorkerClock
  private let clockFaces: ClockFaces
  private let configurationChanges = ConfigurationChanges()
  private let besideCalls = BesideCalls()
  private let eventStandings = EventStandings()
  private let handedKeys: HandedKeys
  private let makeServices: MakeServices
  private let server: RPCServer
  /// The memory for requests, of both servers together.
  private let budget: MessageBudget
  private let connectionLog: ConnectionLog
  private let calls = CallCounters()
  private let pulse = HealthPulse()
  private let clock = ContinuousClock()
  private let begun: ContinuousClock.Instant
  private let state: Mutex<State>
  /// Ends when the worker listens on the network.
  private let doorIsOpen: AsyncStream<Never>
  private let doorOpened: AsyncStream<Never>.Continuation
  /// Ends when the worker is ready.
  private let isReady: AsyncStream<Never>
  private let becameReady: AsyncStream<Never>.Continuation
  private let orders: AsyncStream<WorkerLifecycle.Ending>
  private let orderContinuation: AsyncStream<WorkerLifecycle.Ending>.Continuation

  init(
    record: LaunchRecord, process: ProcessIdentity = .current(), logger: Logger,
    logThreshold: LogThreshold = LogThreshold(),
    authorize: @escaping @Sendable (PeerIdentity) -> Bool = RPCServer.sameUser,
    makeServices: @escaping MakeServices
  ) {
    self.record = record
    self.process = process
    proof = Proof(secret: record.secret)
    handedKeys = HandedKeys(record.sealingKeys, missingReason: record.missingKeysReason)
    self.logger = logger
    self.logThreshold = logThreshold
    self.makeServices = makeServices
    (orders, orderContinuation) = AsyncStream.makeStream()
    (doorIsOpen, doorOpened) = AsyncStream.makeStream()
    (isReady, becameReady) = AsyncStream.makeStream()
    begun = clock.now
    state = Mutex(State(since: begun))
    health = WorkerHealth(changed: pulse.wake)
    clockFaces = record.virtualTime.map { ClockFaces(virtual: ClockFaces.Virtual($0)) } ?? .machine
    workerClock = WorkerClock(clockFaces, logger: logger)
    connectionLog = ConnectionLog(logger)
    budget = MessageBudget(memoryLimit: record.memoryLimitBytes)
    server = RPCServer(
      services: [], limits: .connections(inPartOfOpenFiles: 0.5), budget: budget,
      awaitsServices: true, interceptors: Self.interceptors, authorize: authorize,
      identify: Self.identify(by: record),
      unmappedError: connectionLog.handlerFailed, brokenConnection: connectionLog.connectionBroke)
    let own: [ServiceDefinition] = [
      .lifecycle(LifecycleService(runtime: self)), .health(HealthService(runtime: self)),
      .metrics(MetricsService(runtime: self)), .reflection(ReflectionService(runtime: self)),
    ]
    state.withLock { $0.services = own }
    server.add(own)
  }

  /// Tells who calls, from the proofs that the host issues to callers of this incarnation.
  private static func identify(by record: LaunchRecord) -> RPCServer.Identify {
    let verifier = CallerVerifier(
      of: record.identity, secret: record.secret, passKey: record.passKey)
    return { method, metadata, _ throws(RPCError) in try verifier.identify(method, metadata) }
  }

  // MARK: The run

  /// How long a host that does not read may hold up the end of the worker that it ordered.
  private static let timeToAnswer = Duration.seconds(1)

  /// How long what is done at the end of a drained worker may hold up the end of its process.
  private static let timeToClose = Duration.seconds(2)

  /// Listens, tells so, and serves until the worker has been told to end and has done so.
  func run(on listener: any Listener, listening: () -> Void) async throws(RPCError) -> Outcome {
    try server.start(on: listener)
    listening()
    logger.info("listening", metadata: ["generation": "\(record.generation)"])
    let outcome = await drainWhenTold()
    server.close()
    door?.close()
    if outcome == .drained { await besideCalls.close(within: Self.timeToClose) }
    return outcome
  }

  /// A signal wants the process to end within that time.
  func terminate(_ gracePeriod: Duration) {
    let ending = state.withLock { state in
      defer { state.since = clock.now }
      return state.lifecycle.terminate(gracePeriod)
    }
    beginDrain(ending)
  }

  /// Refuses new calls, everywhere, if that is what was decided, and hands the order to the run.
  private func beginDrain(_ ending: WorkerLifecycle.Ending) {
    workerClock.end()
    if case .drain(let gracePeriod) = ending {
      let linger = state.withLock { state in
        let lingersUntil = clock.now + state.linger
        state.drain = (lingersUntil, lingersUntil + gracePeriod)
        return state.linger
      }
      server.announceLeaving()
      door?.announceLeaving()
      besideCalls.leave()
      if linger == .zero { refuseNewCalls() }
      pulse.wake()
    }
    orderContinuation.yield(ending)
  }

  private func refuseNewCalls() {
    server.beginGracefulShutdown()
    door?.beginGracefulShutdown()
  }

  private var door: NetworkDoor? { state.withLock { $0.door } }

  private func drainWhenTold() async -> Outcome {
    var orders = orders.makeAsyncIterator()
    // A task group rather than two tasks, so that nothing outlives the run.
    return await withTaskGroup(of: Outcome?.self) { group in
      var outcome: Outcome?
      group.addTask {
        await self.watchCertificates()
        return nil
      }
      group.addTask {
        await self.workBesideCalls()
        return nil
      }
      loop: while let order = await orders.next() {
        switch order {
        case .goOn: continue
        case .leaveNow:
          outcome = .cutShort
          break loop
        case .drain(let gracePeriod):
          logger.info("draining", metadata: ["grace_period": "\(gracePeriod)"])
          let (server, door, calls, clock) = (server, door, calls, clock)
          let continuation = orderContinuation
          let linger = state.withLock { $0.linger }
          group.addTask {
            if linger > .zero { try? await clock.sleep(for: linger) }
            self.refuseNewCalls()
            await server.waitUntilIdle()
            await door?.waitUntilIdle()
            continuation.finish()
            return nil
          }
          group.addTask {
            try? await clock.sleep(for: linger + gracePeriod)
            // The host that gave the order is still to be answered, however short the time is.
            await server.waitUntilIdle(besides: calls.inProgress)
            continuation.finish()
            return nil
          }
          group.addTask {
            try? await clock.sleep(for: linger + gracePeriod + Self.timeToAnswer)
            continuation.finish()
            return nil
          }
        }
      }
      group.cancelAll()
      state.withLock { $0.lifecycle.drained() }
      let left = calls.inProgress
      if left > 0 { logger.warning("ended with calls in progress", metadata: ["calls": "\(left)"]) }
      return outcome ?? .drained
    }
  }

  /// Lets callers on other machines in, where the manifest says so.
  private func openDoor(for services: [ServiceDefinition]) throws(RPCError) {
    guard let listen = record.listen else { return }
    let door = NetworkDoor(
      listen,
      services: services + [
        .health(HealthService(runtime: self)), .reflection(ReflectionService(runtime: self)),
      ], budget: budget, interceptors: Self.interceptors, logger: logger, log: connectionLog)
    do throws(RPCError) {
      try door.open()
    } catch {
      logger.error("could not start", metadata: ["reason": "\(error.message)"])
      try change { state throws(RPCError) in
        state.failure = error.message
        try state.lifecycle.started(false)
      }
      throw error
    }
    state.withLock { $0.door = door }
    doorOpened.finish()
  }

  /// Does what the worker has to do beside its calls, from the moment that it is ready.
  private func workBesideCalls() async {
    for await _ in isReady {}
    if !Task.isCancelled { await besideCalls.run() }
  }

  /// Looks after the certificates from the moment that there are any.
  private func watchCertificates() async {
    for await _ in doorIsOpen {}
    await door?.watchCertificates()
  }

  // MARK: What the host asks

  func handshake(
    nonce: [UInt8], hostProof: [UInt8], versions: ClosedRange<UInt32>
  ) throws(RPCError) -> HandshakeResponse {
    let isProven = proof.isValid(hostProof: hostProof, nonce: nonce)
    let result = state.withLock { state in
      let before = state.lifecycle.phase
      defer { if state.lifecycle.phase != before { state.since = clock.now } }
      return Result { () throws(RPCError) in
        let version = try state.lifecycle.handshake(isProven: isProven, versions: versions)
        return (version: version, services: state.services)
      }
    }
    let (version, services) = try result.get()
    return HandshakeResponse(
      workerProof: proof.workerProof(
        nonce: nonce, product: record.product, worker: record.worker,
        generation: record.generation),
      protocolVersion: version, sdkVersion: Worker.sdkVersion,
      pluginVersion: record.pluginVersion,
      services: services.map {
        ServiceContract(
          name: $0.name, descriptorSha256: Array(SHA256.hash(data: $0.descriptorSet)))
      }, process: process, liveConfigurationKeys: configurationChanges.keys)
  }

  /// Takes the configuration, or, while the worker is ready, changes to it.
  func configure(_ configuration: WorkerConfiguration, hostAddress: String) async throws {
    let current = state.withLock { $0.lifecycle.phase == .ready ? $0.configuration : nil }
    if let current {
      try await configurationChanges.take(configuration, over: current)
      state.withLock { $0.configuration = configuration }
      logger.notice("took over a changed configuration")
      return
    }
    try change { state throws(RPCError) in
      try state.lifecycle.configure()
      state.configuration = configuration
      state.hostAddress = hostAddress
    }
  }

  /// Makes the worker's services and serves them; answers how long it took.
  func startServices() async throws -> Duration {
    try change { state throws(RPCError) in try state.lifecycle.start() }
    let start = clock.now
    let made: [ServiceDefinition]
    do {
      made = try await makeServices(context()).map(calls.counting)
    } catch {
      let failure = Self.startFailure(error).withoutPersonalData
      logger.error("could not start", metadata: ["reason": "\(failure.message)"])
      try change { state throws(RPCError) in
        state.failure = failure.message
        try state.lifecycle.started(false)
      }
      throw failure
    }
    // Served before the phase says so: whoever reads "serving" can call.
    let beside = besideCalls.services.map(calls.counting)
    server.add(made + beside)
    server.finishServices()
    try openDoor(for: made)
    try change { state throws(RPCError) in
      try state.lifecycle.started(true)
      // The worker's own first, as reflection shows them.
      state.services = made + beside + state.services
    }
    workerClock.begin()
    becameReady.finish()
    let duration = start.duration(to: clock.now)
    logger.info(
      "ready",
      metadata: [
        "services": "\(made.map(\.name).joined(separator: ","))", "took": "\(duration)",
      ])
    return duration
  }

  /// Begins the drain; answers how many calls of the worker's own services are in progress.
  func drain(_ gracePeriod: Duration, linger: Duration) throws(RPCError) -> Int {
    let ending = try change { state throws(RPCError) in
      let ending = try state.lifecycle.drain(gracePeriod)
      if case .drain = ending { state.linger = linger }
      return ending
    }
    beginDrain(ending)
    return calls.inProgress
  }

  /// Moves the clocks, has the consumers take in what others told up to these ends, and does what is due then.
  func moveClock(
    to time: VirtualTime, afterTakingIn ends: [LogEnd]
  ) async throws -> MoveClockResponse {
    try change { state throws(RPCError) in try state.lifecycle.checkProven() }
    guard clockFaces.isVirtual else {
      throw RPCError(
        .failedPrecondition,
        "this worker goes by the machine's clocks: start the product with `kith up --virtual-time`")
    }
    let next = ClockFaces.Virtual(time)
    guard next.elapsed >= clockFaces.virtual.elapsed else {
      throw RPCError.invalidArgument(
        field: "time.elapsed_ms", "a clock that is never set cannot go back")
    }
    clockFaces.virtual = next
    // One that is not ready yet does nothing so far.
    guard state.withLock({ $0.lifecycle.phase == .ready }) else { return MoveClockResponse() }
    await eventStandings.reach(ends)
    // Before due work looks at the data: what is taken in meanwhile may be due sooner than it says.
    let consumers = eventStandings.consumers
    let (nextDue, turns) = try await workerClock.settle()
    return MoveClockResponse(
      nextDueMs: nextDue.map { Int64($0.milliseconds) }, turns: turns,
      logEnd: try await eventStandings.end, consumers: consumers)
  }

  /// Seals with the first of these keys from now on, and opens with all of them.
  func takeKeys(_ keys: [SealingKey]) throws(RPCError) {
    try change { state throws(RPCError) in try state.lifecycle.checkProven() }
    try handedKeys.change(to: keys)
  }

  /// Logs from that level on.
  func setLogLevel(_ level: Logger.Level) throws(RPCError) {
    try change { state throws(RPCError) in try state.lifecycle.checkProven() }
    logThreshold.level = level
  }

  /// What the worker serves now, its own services first.
  var services: [ServiceDefinition] { state.withLock { $0.services } }

  /// How the worker is now.
  func checkHealth() -> CheckResponse {
    let (phase, since, failure) = state.withLock { ($0.lifecycle.phase, $0.since, $0.failure) }
    let word = health.word
    let (status, reason): (ServingStatus, String) =
      switch phase {
      case .spawned, .handshaken, .configured, .starting: (.starting, "")
      case .failed: (.starting, failure)
      case .ready: word.degradation.isEmpty ? (.serving, "") : (.degraded, word.degradation)
      case .draining, .ended: (.draining, "told to end")
      }
    let (seconds, attoseconds) = max(since, word.since ?? since).duration(to: clock.now)
      .components
    return CheckResponse(
      status: status, reason: reason,
      sinceMs: seconds * 1_000 + attoseconds / 1_000_000_000_000_000,
      progress: calls.ended, callsInProgress: UInt32(clamping: calls.inProgress),
      store: health.storeStanding.map { StoreStanding(log: $0.log, commits: $0.commits) })
  }

  /// Tells how the worker is: at once, when that changes, and at least every `interval`; when the worker was told to end,
  /// until its own calls have ended or their time is over.
  func watchHealth(
    every interval: Duration, _ tell: @Sendable (WatchResponse) async throws -> Void
  ) async throws {
    try await pulse.watch(every: interval) {
      let drain = self.state.withLock { $0.drain }
      if let drain {
        let now = self.clock.now
        let isOver =
          now >= drain.ends || now >= drain.lingersUntil && self.calls.inProgress == 0
        guard isOver else { return .lookAgainSoon }
      }
      try await tell(WatchResponse(state: self.checkHealth(), beats: await self.pulse.beat()))
      return drain == nil ? .waitForPulse : .end
    }
  }

  /// What the worker has counted of its calls.
  func readMetrics() -> ReadMetricsResponse {
    let (seconds, attoseconds) = begun.duration(to: clock.now).components
    return ReadMetricsResponse(
      uptimeUs: seconds * 1_000_000 + attoseconds / 1_000_000_000_000, methods: calls.metrics)
  }

  // MARK: Parts

  /// Changes the state in one step and notes when a phase began.
  private func change<Value: Sendable>(
    _ body: (inout State) throws(RPCError) -> Value
  ) throws(RPCError) -> Value {
    let result = state.withLock { state in
      let before = state.lifecycle.phase
      defer { if state.lifecycle.phase != before { state.since = clock.now } }
      return Result { () throws(RPCError) in try body(&state) }
    }
    return try result.get()
  }

  private func context() -> WorkerContext {
    let (configuration, hostAddress) = state.withLock { ($0.configuration, $0.hostAddress) }
    return WorkerContext(
      product: record.product, worker: record.worker, generation: record.generation,
      configuration: configuration, pluginDirectory: record.pluginDirectory,
      stateDirectory: record.stateDirectory.isEmpty ? nil : record.stateDirectory,
      handedKeys: handedKeys,
      storeOrders: record.store ?? StoreOrders(),
      hostAddress: hostAddress.isEmpty ? nil : hostAddress, hostIdentity: record.hostIdentity,
      logger: logger, health: health,
      clock: workerClock, configurationChanges: configurationChanges, besideCalls: besideCalls,
      eventStandings: eventStandings)
  }

  /// What the host is told when the worker's own code throws. An error that is not known is named by its type alone,
  /// since what it says may be personal.
  private static func startFailure(_ error: any Error) -> RPCError {
    switch error {
    case let error as RPCError: error
    case let error as ConfigurationError:
      .invalidArgument(field: "configuration.\(error.key)", error.reason)
    default:
      RPCError(
        .failedPrecondition, "the worker could not start: its code threw \(type(of: error))",
        cause: error)
    }
  }
}

extension ClockFaces.Virtual {
  fileprivate init(_ time: VirtualTime) {
    self.init(
      wall: Instant(milliseconds: Int(time.wallMs)), elapsed: .milliseconds(time.elapsedMs))
  }
}

import BillingContract
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

/// A worker from the moment it listens until its process may leave: carries out what
/// ``WorkerLifecycle`` decides.
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

  // MARK: What it is

  private let record: LaunchRecord
  private let process: ProcessIdentity
  private let proof: Proof
  private let makeServices: MakeServices
  let logThreshold: LogThreshold

  // MARK: What it is made of

  /// What the worker's own code works with.
  private let parts: WorkerParts
  private let servers: WorkerServers
  private let calls = CallCounters()
  private let pulse: HealthPulse
  private let state: Mutex<WorkerState>
  private let begun = ContinuousClock.now
  /// The worker is ready.
  private let ready = Latch()
  /// The orders to end, for the run.
  private let endings = AsyncStream.makeStream(of: WorkerLifecycle.Ending.self)

  init(
    record: LaunchRecord, process: ProcessIdentity = .current(), logger: Logger,
    logThreshold: LogThreshold = LogThreshold(),
    authorize: @escaping @Sendable (PeerIdentity) -> Bool = RPCServer.sameUser,
    makeServices: @escaping MakeServices
  ) {
    self.record = record
    self.process = process
    proof = Proof(secret: record.secret)
    self.logThreshold = logThreshold
    self.makeServices = makeServices
    let pulse = HealthPulse()
    self.pulse = pulse
    let faces = record.virtualTime.map { ClockFaces(virtual: ClockFaces.Virtual($0)) } ?? .machine
    parts = WorkerParts(
      logger: logger, health: WorkerHealth(changed: pulse.wake),
      clock: WorkerClock(faces, logger: logger),
      handedKeys: HandedKeys(record.sealingKeys, missingReason: record.missingKeysReason),
      storeOrders: record.store ?? StoreOrders())
    servers = WorkerServers(for: record, logger: logger, authorize: authorize)
    state = Mutex(WorkerState(services: []))
    let own: [ServiceDefinition] = [
      .lifecycle(LifecycleService(runtime: self)), .health(HealthService(runtime: self)),
      .metrics(MetricsService(runtime: self)), .reflection(ReflectionService(runtime: self)),
    ]
    state.withLock { $0 = WorkerState(services: own) }
    servers.add(own)
  }

  // MARK: The run

  /// How long a host that does not read may hold up the end of the worker that it ordered.
  private static let timeToAnswer = Duration.seconds(1)

  /// How long what is done at the end of a drained worker may hold up the end of its process.
  private static let timeToClose = Duration.seconds(2)

  /// Listens, tells so, and serves until the worker has been told to end and has done so.
  func run(on listener: any Listener, listening: () -> Void) async throws(RPCError) -> Outcome {
    try servers.start(on: listener)
    listening()
    parts.logger.info("listening", metadata: ["generation": "\(record.generation)"])
    let outcome = await drainWhenTold()
    servers.close()
    if outcome == .drained { await parts.backgroundTasks.close(within: Self.timeToClose) }
    return outcome
  }

  /// A signal wants the process to end within that time.
  func terminate(_ gracePeriod: Duration) {
    begin(state.withLock { $0.terminate(gracePeriod) })
  }

  /// Begins the drain, if that is what was decided, and hands the order to the run.
  private func begin(_ ending: WorkerLifecycle.Ending) {
    parts.clock.end()
    if case .drain = ending {
      servers.announceLeaving()
      parts.backgroundTasks.leave()
      if state.withLock({ $0.drain?.linger ?? .zero }) == .zero { servers.beginGracefulShutdown() }
      pulse.wake()
    }
    endings.continuation.yield(ending)
  }

  private func drainWhenTold() async -> Outcome {
    var endings = endings.stream.makeAsyncIterator()
    // A task group, so that nothing outlives the run.
    return await withTaskGroup(of: Void.self) { group in
      var outcome = Outcome.drained
      group.addTask { await self.servers.watchCertificates() }
      group.addTask { if await self.ready.wait() { await self.parts.backgroundTasks.run() } }
      loop: while let ending = await endings.next() {
        switch ending {
        case .goOn: continue
        case .leaveNow:
          outcome = .cutShort
          break loop
        case .drain:
          guard let drain = state.withLock(\.drain) else { continue }
          parts.logger.info("draining", metadata: ["grace_period": "\(drain.gracePeriod)"])
          for wait in [waitForCalls, waitForGracePeriod, waitForHost] {
            group.addTask {
              await wait(drain)
              self.endings.continuation.finish()
            }
          }
        }
      }
      group.cancelAll()
      state.withLock { $0.drained() }
      let left = calls.inProgress
      if left > 0 {
        parts.logger.warning("ended with calls in progress", metadata: ["calls": "\(left)"])
      }
      return outcome
    }
  }

  /// Waits until the last call has ended that the worker took.
  private func waitForCalls(_ drain: WorkerState.Drain) async {
    if drain.linger > .zero { try? await Task.sleep(for: drain.linger) }
    servers.beginGracefulShutdown()
    await servers.waitUntilIdle()
  }

  /// Waits until the time of the calls is over. The host that gave the order is still answered,
  /// however short that is.
  private func waitForGracePeriod(_ drain: WorkerState.Drain) async {
    try? await Task.sleep(for: drain.linger + drain.gracePeriod)
    await servers.waitUntilAnswered(besides: calls.inProgress)
  }

  /// Waits until the time is over for a host that does not read its answer.
  private func waitForHost(_ drain: WorkerState.Drain) async {
    try? await Task.sleep(for: drain.linger + drain.gracePeriod + Self.timeToAnswer)
  }

  // MARK: What the host asks

  func handshake(
    nonce: [UInt8], hostProof: [UInt8], versions: ClosedRange<UInt32>
  ) throws(RPCError) -> HandshakeResponse {
    let isProven = proof.isValid(hostProof: hostProof, nonce: nonce)
    let (version, services) = try change { state throws(RPCError) in
      (try state.handshake(isProven: isProven, versions: versions), state.services)
    }
    return HandshakeResponse(
      workerProof: proof.workerProof(
        nonce: nonce, product: record.product, worker: record.worker,
        generation: record.generation),
      protocolVersion: version, sdkVersion: Worker.sdkVersion,
      pluginVersion: record.pluginVersion,
      services: services.map {
        ServiceContract(
          name: $0.name, descriptorSha256: Array(SHA256.hash(data: $0.descriptorSet)))
      }, process: process, liveConfigurationKeys: parts.configurationChanges.keys)
  }

  /// Takes the configuration, or, while the worker is ready, changes to it.
  func configure(_ configuration: WorkerConfiguration, hostAddress: String) async throws {
    let current = state.withLock { $0.phase == .ready ? $0.configured.configuration : nil }
    if let current {
      try await parts.configurationChanges.take(configuration, over: current)
      state.withLock { $0.reconfigured(configuration) }
      parts.logger.notice("took over a changed configuration")
      return
    }
    try change { state throws(RPCError) in
      try state.configure(
        WorkerState.Configured(configuration: configuration, hostAddress: hostAddress))
    }
  }

  /// Makes the worker's services and serves them; answers how long it took.
  func startServices() async throws -> Duration {
    try change { state throws(RPCError) in try state.start() }
    let start = ContinuousClock.now
    let made: [ServiceDefinition]
    do {
      let context = context()
      let gate = try Self.gate(context, parts)
      made = try await makeServices(context).map {
        calls.counting(gate?.guarding($0) ?? $0)
      }
    } catch {
      throw try startFailed(Self.startFailure(error).withoutPersonalData)
    }
    // Served before the phase says so: whoever reads "serving" can call.
    let own = made + parts.backgroundTasks.services.map(calls.counting)
    servers.add(own)
    servers.finishServices()
    do throws(RPCError) {
      try servers.openRemote(
        made + [
          .health(HealthService(runtime: self)), .reflection(ReflectionService(runtime: self)),
        ])
    } catch {
      throw try startFailed(error)
    }
    // The worker's own first, as reflection shows them.
    try change { state throws(RPCError) in try state.becameReady(serving: own) }
    parts.clock.begin()
    ready.open()
    let duration = start.duration(to: .now)
    parts.logger.info(
      "ready",
      metadata: [
        "services": "\(made.map(\.name).joined(separator: ","))", "took": "\(duration)",
      ])
    return duration
  }

  /// What enforces plans; nil in a product without entitlements.
  private static func gate(
    _ context: WorkerContext, _ parts: WorkerParts
  ) throws(RPCError) -> EntitlementGate? {
    guard context.hostAddress != nil, let whenAway = EntitlementGate.WhenAway.ofThisProcess else {
      return nil
    }
    let (clock, tasks) = (parts.clock, parts.backgroundTasks)
    return EntitlementGate(
      client: EntitlementsClient(
        try context.client(ofService: EntitlementsMethods.reserve.service)),
      whenAway: whenAway, now: { clock.now }, later: { work in tasks.add(work) })
  }

  /// Notes why the worker could not start, and returns that.
  private func startFailed(_ failure: RPCError) throws(RPCError) -> RPCError {
    parts.logger.error("could not start", metadata: ["reason": "\(failure.message)"])
    try change { state throws(RPCError) in try state.failed(failure.message) }
    return failure
  }

  /// Begins the drain; answers how many calls of the worker's own services are in progress.
  func drain(_ gracePeriod: Duration, linger: Duration) throws(RPCError) -> Int {
    begin(
      try change { state throws(RPCError) in try state.drain(gracePeriod, linger: linger) })
    return calls.inProgress
  }

  /// Moves the clocks, has the consumers take in what others told up to these ends, and does what
  /// is due then.
  func moveClock(
    to time: VirtualTime, afterTakingIn ends: [LogEnd]
  ) async throws -> MoveClockResponse {
    try checkProven()
    try parts.clock.show(ClockFaces.Virtual(time))
    // One that is not ready yet does nothing so far.
    guard state.withLock({ $0.phase == .ready }) else { return MoveClockResponse() }
    await parts.eventStandings.reach(ends)
    // Before due work looks at the data: what is taken in meanwhile may be due sooner than it says.
    let consumers = parts.eventStandings.consumers
    let (nextDue, runs) = try await parts.clock.settle()
    return MoveClockResponse(
      nextDueMs: nextDue.map { Int64($0.milliseconds) }, turns: runs,
      logEnd: try await parts.eventStandings.end, consumers: consumers)
  }

  /// Seals with the first of these keys from now on, and opens with all of them.
  func takeKeys(_ keys: [SealingKey]) throws(RPCError) {
    try checkProven()
    try parts.handedKeys.change(to: keys)
  }

  /// Logs from that level on.
  func setLogLevel(_ level: Logger.Level) throws(RPCError) {
    try checkProven()
    logThreshold.level = level
  }

  /// What the worker serves now, its own services first.
  var services: [ServiceDefinition] { state.withLock { $0.services } }

  /// How the worker is now.
  func checkHealth() -> CheckResponse {
    let (phase, since, failure) = state.withLock { ($0.phase, $0.since, $0.failure) }
    let word = parts.health.word
    let (status, reason): (ServingStatus, String) =
      switch phase {
      case .spawned, .handshaken, .configured, .starting: (.starting, "")
      case .failed: (.starting, failure)
      case .ready: word.degradation.isEmpty ? (.serving, "") : (.degraded, word.degradation)
      case .draining, .ended: (.draining, "told to end")
      }
    let (seconds, attoseconds) = max(since, word.since ?? since).duration(to: .now).components
    return CheckResponse(
      status: status, reason: reason,
      sinceMs: seconds * 1_000 + attoseconds / 1_000_000_000_000_000,
      progress: calls.ended, callsInProgress: UInt32(clamping: calls.inProgress),
      store: parts.health.storeStanding.map { StoreStanding(log: $0.log, commits: $0.commits) })
  }

  /// Tells how the worker is: at once, when that changes, and at least every `interval`; when the
  /// worker was told to end, until its own calls have ended or their time is over.
  func watchHealth(
    every interval: Duration, _ tell: @Sendable (WatchResponse) async throws -> Void
  ) async throws {
    try await pulse.watch(every: interval) {
      let drain = self.state.withLock { $0.drain }
      if let drain {
        let now = ContinuousClock.now
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
    let (seconds, attoseconds) = begun.duration(to: .now).components
    return ReadMetricsResponse(
      uptimeUs: seconds * 1_000_000 + attoseconds / 1_000_000_000_000, methods: calls.metrics)
  }

  // MARK: Parts

  private func checkProven() throws(RPCError) {
    try change { state throws(RPCError) in try state.checkProven() }
  }

  /// Changes the state in one step.
  private func change<Value: Sendable>(
    _ body: (inout WorkerState) throws(RPCError) -> Value
  ) throws(RPCError) -> Value {
    try state.withLock { state in
      Result { () throws(RPCError) in try body(&state) }
    }.get()
  }

  private func context() -> WorkerContext {
    let configured = state.withLock(\.configured)
    return WorkerContext(
      product: record.product, worker: record.worker, generation: record.generation,
      configuration: configured.configuration, pluginDirectory: record.pluginDirectory,
      stateDirectory: record.stateDirectory.isEmpty ? nil : record.stateDirectory,
      hostAddress: configured.hostAddress.isEmpty ? nil : configured.hostAddress,
      hostIdentity: record.hostIdentity, parts: parts)
  }

  /// What the host is told when the worker's own code throws. An error that is not known is named
  /// by its type alone, since what it says may be personal.
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

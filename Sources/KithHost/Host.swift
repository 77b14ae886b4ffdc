import Glibc
import HostContract
import KithManifest
import KithRPC
import KithSupervision
import KithTransportNng
import KithWire
import WorkerContract

/// The host of one product: carries out what the supervisor decides, and tells it what happened.
///
/// It lives on a thread of its own (`Reactor`), so that everything that happens has one order: an event is taken in, and
/// what it calls for is done, before the next one. The data between callers and workers never passes through here.
public actor Host {
  /// A process that runs.
  private struct RunningProcess {
    var child: ChildProcess
    var watch: Reactor.Watch
    var address: String
    var socket: String
    var link: WorkerLink
    /// The pipe on which the process says that it listens; nil once it has.
    var notice: (watch: Reactor.Watch, text: [UInt8])?
  }

  private let settings: HostSettings
  private let reactor: Reactor
  let logs: LogKeeper
  private let lock: RootLock
  private let records: ProcessRecords
  private var generations: GenerationCounter
  /// One thing after the other that must be waited for, so that the host's thread need not.
  private let chores: AsyncStream<@Sendable () async -> Void>.Continuation
  private let choreList: AsyncStream<@Sendable () async -> Void>

  private let startedAt = ContinuousClock.now
  private let startedAtMilliseconds = WallClock.milliseconds
  private var supervisor: Supervisor
  private var events: [SupervisionEvent] = []
  private var isHandlingEvents = false
  private var processes: [Incarnation: RunningProcess] = [:]
  private var published: [String: Incarnation] = [:]
  private var since: [String: (state: WorkerSnapshot.State, milliseconds: Int64)] = [:]
  private var endedAtMilliseconds: [Incarnation: Int64] = [:]
  private var waiters: [@Sendable (isolated Host) -> Bool] = []
  private var isShuttingDown = false
  private var endedByShutdown: UInt32 = 0
  private var killedByShutdown: UInt32 = 0

  /// The host's own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    reactor.asUnownedSerialExecutor()
  }

  /// Prepares a host: its folders, its lock, the end of what an earlier host left running. Nothing is started yet.
  ///
  /// May block for the seconds that leftover workers take to end.
  public init(_ settings: HostSettings) throws(HostFailure) {
    self.settings = settings
    let places = settings.places
    do throws(ManifestError) {
      try places.checkSockets(workers: settings.plan.workers.map(\.name))
    } catch {
      throw HostFailure(.badInput, "\(error)")
    }
    lock = try Self.takeRoot(places)
    records = ProcessRecords(folder: places.runtimeDirectory)
    var counter = try GenerationCounter(path: places.stateDirectory + "/generations.json")
    do throws(SystemError) {
      let ended = try LeftoverProcesses.end(records)
      // Written now so that a folder that takes no writes is found before anything starts.
      try counter.use(0, of: settings.plan.workers.first?.name ?? LogKeeper.hostName)
      reactor = try Reactor(name: "kith-host")
      logs = try LogKeeper(
        reactor: try Reactor(name: "kith-logs"), places: places,
        workers: settings.plan.workers.map(\.name))
      for incarnation in ended {
        logs.note(
          log: LogKeeper.hostName, generation: 0,
          "ended \(incarnation), which an earlier host had left running")
      }
    } catch {
      throw HostFailure(.cannotCreate, Self.advice(error, places))
    }
    generations = counter
    (choreList, chores) = AsyncStream.makeStream()
    do throws(Supervisor.SpecificationError) {
      supervisor = try Supervisor(
        settings.plan.workers.map { $0.specification(lastGeneration: counter[$0.name]) },
        jitterSeed: UInt64.random(in: .min ... .max))
    } catch {
      // The plan has checked names and cycles.
      throw HostFailure(.internal, "the plan cannot be supervised: \(error)")
    }
  }

  private static func takeRoot(_ places: ProductPlaces) throws(HostFailure) -> RootLock {
    do throws(SystemError) {
      try DurableFile.createPrivateFolder(places.stateDirectory)
      try DurableFile.createPrivateFolder(places.logsDirectory)
      try DurableFile.createPrivateFolder(places.runtimeDirectory)
    } catch {
      throw HostFailure(.cannotCreate, advice(error, places))
    }
    do throws(RootLock.Failure) {
      return try RootLock(path: places.lockFile)
    } catch {
      switch error {
      case .held(let pid):
        let who = pid.map { "pid \($0)" } ?? "its pid is not known"
        throw HostFailure(
          .alreadyRuns,
          "another host (\(who)) runs \(places.product) in \(places.stateDirectory); "
            + "`kith status` shows it, `kith down` ends it, --root DIR chooses another folder")
      case .system(let error): throw HostFailure(.cannotCreate, advice(error, places))
      }
    }
  }

  private static func advice(_ error: SystemError, _ places: ProductPlaces) -> String {
    let help =
      switch error.code {
      case ENOSPC, EDQUOT: "make room there"
      case EROFS: "the file system is read-only"
      case EACCES, EPERM: "give user \(geteuid()) the right to write there"
      default: "the host keeps its state in \(places.stateDirectory)"
      }
    return "\(error); \(help), or choose another folder with --root DIR"
  }

  // MARK: Running

  /// Serves the control service and runs the workers until a shutdown has been carried out.
  ///
  /// `listening` is called once, when the control socket accepts connections.
  public func run(listening: @Sendable () -> Void) async throws(HostFailure) {
    let server = RPCServer(services: [.host(HostService(host: self))])
    do throws(RPCError) {
      try server.start(on: NngListener(address: settings.places.controlAddress))
    } catch {
      throw HostFailure(.cannotCreate, "the control socket cannot be opened: \(error.message)")
    }
    log("host \(HostVersion.current) runs \(settings.plan.product), pid \(getpid())")
    listening()
    post(.timePassed)
    await withDiscardingTaskGroup { group in
      for await chore in choreList { group.addTask { await chore() } }
      group.cancelAll()
    }
    // Who waits learns now that there is nothing more to come; the answers leave before the process does.
    logs.releaseReaders()
    server.beginGracefulShutdown()
    await withDiscardingTaskGroup { group in
      let first = Waiter<Void>()
      group.addTask {
        await server.waitUntilIdle()
        first.finish(.success(()))
      }
      group.addTask {
        try? await Task.sleep(for: .seconds(2))
        first.finish(.success(()))
      }
      try? await first.value()
      group.cancelAll()
    }
    server.close()
    unlink(settings.places.controlSocket)
    log("ended")
    await logs.flush()
  }

  /// Begins to end everything; `run` returns when it is done. More calls change nothing.
  public func beginShutdown(because reason: String) {
    guard !isShuttingDown else { return }
    log("shutting down: \(reason)")
    isShuttingDown = true
    endedByShutdown = UInt32(processes.count)
    post(.shutDownAsked)
  }

  // MARK: Events

  private var now: Moment { Moment(sinceStart: ContinuousClock.now - startedAt) }

  /// Tells the supervisor what happened and does what it says.
  private func post(_ event: SupervisionEvent) {
    events.append(event)
    // What is done may itself be an event; it waits for its turn.
    guard !isHandlingEvents else { return }
    isHandlingEvents = true
    while !events.isEmpty {
      for action in supervisor.handle(events.removeFirst(), at: now) { carryOut(action) }
    }
    isHandlingEvents = false
    noteStates()
    waiters.removeAll { $0(self) }
    reactor.setAlarm(for: self, at: supervisor.nextDeadline.map { startedAt + $0.sinceStart }) {
      [weak self] in
      self?.assumeIsolated { $0.post(.timePassed) }
    }
    if supervisor.isShutDown { chores.finish() }
  }

  private func noteStates() {
    let milliseconds = WallClock.milliseconds
    for snapshot in supervisor.snapshots where since[snapshot.name]?.state != snapshot.state {
      since[snapshot.name] = (snapshot.state, milliseconds)
    }
  }

  private func carryOut(_ action: SupervisionAction) {
    switch action {
    case .spawn(let incarnation):
      do throws(SystemError) {
        try spawn(incarnation)
        post(.stepCompleted(incarnation, .spawn))
      } catch {
        post(.stepFailed(incarnation, .spawn, StartFailure(reason: "\(error)")))
      }
    case .perform(let step, let incarnation):
      guard let link = processes[incarnation]?.link else { return }
      let address = settings.places.controlAddress
      chores.yield {
        let failure = await link.perform(step, hostAddress: address)
        await self.stepEnded(step, of: incarnation, failure)
      }
    case .publish(let incarnation): published[incarnation.worker] = incarnation
    case .withdraw(let incarnation):
      if published[incarnation.worker] == incarnation { published[incarnation.worker] = nil }
    case .drain(let incarnation, let grace):
      guard let link = processes[incarnation]?.link else { return }
      chores.yield {
        if await !link.drain(grace: grace) { await self.drainFailed(incarnation) }
      }
    case .terminate(let incarnation): processes[incarnation]?.child.signal(SIGTERM)
    case .kill(let incarnation):
      guard let process = processes[incarnation] else { return }
      if isShuttingDown { killedByShutdown += 1 }
      process.child.signal(SIGKILL)
      process.child.signalGroup(SIGKILL)
    case .note(let worker, let generation, let text):
      logs.note(log: worker, generation: generation, text)
      log("\(Incarnation(worker: worker, generation: generation)): \(text)")
    }
  }

  private func stepEnded(
    _ step: StartStep, of incarnation: Incarnation, _ failure: StartFailure?
  ) {
    if let failure {
      post(.stepFailed(incarnation, step, failure))
    } else {
      post(.stepCompleted(incarnation, step))
    }
  }

  private func drainFailed(_ incarnation: Incarnation) {
    post(.drainFailed(incarnation))
  }

  // MARK: Processes

  private func spawn(_ incarnation: Incarnation) throws(SystemError) {
    guard let worker = settings.plan.worker(named: incarnation.worker) else {
      throw SystemError("find worker \(incarnation.worker) in the plan", code: ENOENT)
    }
    try generations.use(incarnation.generation, of: worker.name)
    let socket: String
    do throws(ManifestError) {
      socket = try settings.places.socket(
        worker: worker.name, generation: incarnation.generation)
    } catch {
      throw SystemError("\(error.message)", code: ENAMETOOLONG)
    }
    let address = "ipc://\(socket)"
    let state = try stateFolder(of: worker)
    let stdout = try Descriptor.pipe()
    let stderr = try Descriptor.pipe()
    let launch = try Descriptor.pipe()
    let notice = try Descriptor.pipe()
    let child = try ChildProcess.spawn(
      ChildProcess.Launch(
        executable: worker.executablePath, environment: settings.workerEnvironment,
        workingDirectory: state.isEmpty ? settings.places.runtimeDirectory : state,
        descriptors: [
          try Descriptor.open("/dev/null", O_RDONLY), stdout.writing, stderr.writing,
          launch.reading, notice.writing,
        ]))
    let secret = IncarnationSecret()
    do throws(SystemError) {
      try records.add(
        ProcessRecords.Record(
          incarnation: incarnation, identity: child.identity, socket: socket))
      let record = LaunchRecord(
        product: settings.plan.product, worker: worker.name, generation: incarnation.generation,
        secret: secret.bytes, address: address, pluginDirectory: worker.pluginDirectory,
        stateDirectory: state, pluginVersion: worker.pluginVersion)
      try launch.writing.writeAll(try Self.encoded(record), to: "the launch record")
      try notice.reading.setNonBlocking()
      let watch = try reactor.watch(child.pidfd) { [weak self] in
        self?.assumeIsolated { $0.childReported(incarnation) }
      }
      let noticeWatch = try reactor.watch(notice.reading) { [weak self] in
        self?.assumeIsolated { $0.noticeReported(incarnation, notice.reading) }
      }
      processes[incarnation] = RunningProcess(
        child: child, watch: watch, address: address, socket: socket,
        link: WorkerLink(
          incarnation: incarnation, product: settings.plan.product, worker: worker,
          address: address, secret: secret, identity: child.identity),
        notice: (noticeWatch, []))
      logs.capture(incarnation, stdout: stdout.reading, stderr: stderr.reading)
      log("\(incarnation): started, pid \(child.identity.pid)")
    } catch {
      child.signalGroup(SIGKILL)
      child.reapWhenEnded()
      records.remove(incarnation, socket: socket)
      throw error
    }
  }

  private static func encoded(_ record: LaunchRecord) throws(SystemError) -> [UInt8] {
    do {
      return try record.encoded()
    } catch {
      throw SystemError("encode the launch record", code: EINVAL)
    }
  }

  /// The worker's own folder; empty in a product that keeps nothing.
  private func stateFolder(of worker: PlannedWorker) throws(SystemError) -> String {
    guard settings.plan.posture != .ephemeral else { return "" }
    let folder = settings.places.stateDirectory(worker: worker.name)
    try DurableFile.createPrivateFolder(folder)
    return folder
  }

  /// The pidfd is readable: the process has ended.
  private func childReported(_ incarnation: Incarnation) {
    guard let process = processes[incarnation], let end = process.child.end() else { return }
    processes[incarnation] = nil
    reactor.ignore(process.watch)
    if let notice = process.notice { reactor.ignore(notice.watch) }
    // Its last words are in the pipes before anybody asks for them.
    logs.finish(incarnation)
    process.child.reap()
    records.remove(incarnation, socket: process.socket)
    chores.yield { process.link.close() }
    endedAtMilliseconds = endedAtMilliseconds.filter { $0.key.worker != incarnation.worker }
    endedAtMilliseconds[incarnation] = WallClock.milliseconds
    post(.exited(incarnation, end))
  }

  /// The notice pipe has something to say, or its other end was closed.
  private func noticeReported(_ incarnation: Incarnation, _ descriptor: Descriptor) {
    guard var notice = processes[incarnation]?.notice else { return }
    switch try? descriptor.read(atMost: 256) {
    case .wouldBlock?: return
    case .bytes(let bytes)?:
      notice.text += bytes
      processes[incarnation]?.notice = notice
      guard notice.text.starts(with: Array("listening\n".utf8)) || notice.text.count > 256 else {
        return
      }
      stopNotice(of: incarnation)
      if notice.text.starts(with: Array("listening\n".utf8)) {
        post(.stepCompleted(incarnation, .listen))
      } else {
        let failure = StartFailure(reason: "what it wrote to its notice pipe is not `listening`")
        post(.stepFailed(incarnation, .listen, failure))
      }
    // Closed without a word: the process is about to end, which says more, or will run into its time limit.
    case .end?, nil: stopNotice(of: incarnation)
    }
  }

  private func stopNotice(of incarnation: Incarnation) {
    guard let notice = processes[incarnation]?.notice else { return }
    reactor.ignore(notice.watch)
    processes[incarnation]?.notice = nil
  }

  private func log(_ text: String) {
    logs.note(log: LogKeeper.hostName, generation: 0, text)
    if settings.isForeground { StandardError.write("kithd: \(text)\n") }
  }
}

// MARK: - What callers of the control service ask for

extension Host {
  /// Waits until `check` gives an answer; it is asked now and after everything that happens.
  private func wait<Value: Sendable>(
    _ check: @escaping @Sendable (isolated Host) -> Result<Value, RPCError>?
  ) async throws -> Value {
    if let result = check(self) { return try result.get() }
    let waiter = Waiter<Value>()
    waiters.append { host in
      if waiter.isFinished { return true }
      guard let result = check(host) else { return false }
      waiter.finish(result.mapError { $0 })
      return true
    }
    // Callers that gave up are forgotten here too, lest they pile up while nothing happens.
    waiters.removeAll { $0(self) }
    return try await waiter.value()
  }

  /// The host and its workers, at once or as soon as everything is settled.
  func status(whenSettled: Bool) async throws -> GetStatusResponse {
    if whenSettled {
      try await wait { $0.supervisor.isSettled || $0.isShuttingDown ? .success(()) : nil }
    }
    var workers: [WorkerStatus] = []
    for worker in settings.plan.workers { workers.append(await status(of: worker)) }
    return GetStatusResponse(
      product: settings.plan.product, title: settings.plan.title,
      hostVersion: HostVersion.current, hostPid: getpid(),
      hostStartedAtMs: startedAtMilliseconds, root: settings.places.stateDirectory,
      workers: workers)
  }

  /// Where a worker or a service is.
  func resolve(_ request: ResolveRequest) async throws -> ResolveResponse {
    let worker: PlannedWorker
    switch request.target {
    case .worker(let name): worker = try plannedWorker(name, field: "worker")
    case .service(let name):
      guard let found = settings.plan.workers.first(where: { $0.provides.contains(name) }) else {
        let known = settings.plan.workers.flatMap(\.provides)
        throw RPCError(
          .notFound,
          "no worker of \(settings.plan.product) provides \(name); provided are: \(known.joined(separator: ", "))"
        )
      }
      worker = found
    case nil:
      throw RPCError.invalidArgument(
        field: "target", "neither a worker nor a service is named; exactly one must be")
    }
    return try await wait { host in
      if let incarnation = host.published[worker.name],
        incarnation.generation > request.newerThanGeneration,
        let process = host.processes[incarnation]
      {
        return .success(
          ResolveResponse(
            worker: worker.name, generation: incarnation.generation, address: process.address,
            services: worker.provides))
      }
      if host.isShuttingDown {
        return .failure(RPCError(.unavailable, "the host is shutting down"))
      }
      guard !request.waitForReady else { return nil }
      return .failure(host.notReady(worker.name))
    }
  }

  /// Wants a worker up and waits until it is.
  func start(_ name: String) async throws -> WorkerStatus {
    let worker = try plannedWorker(name, field: "name")
    try refuseDuringShutdown()
    post(.wantedUp(worker: name))
    try await waitUntilReady(name, after: 0)
    return await status(of: worker)
  }

  /// Wants a worker down and waits until its process has ended.
  func stop(_ name: String) async throws -> WorkerStatus {
    let worker = try plannedWorker(name, field: "name")
    post(.wantedDown(worker: name))
    try await wait { host -> Result<Void, RPCError>? in
      guard let snapshot = host.supervisor.snapshot(of: name) else { return .success(()) }
      if snapshot.isWanted {
        return .failure(RPCError(.aborted, "\(name) was started again before it had ended"))
      }
      return snapshot.hasProcess ? nil : .success(())
    }
    return await status(of: worker)
  }

  /// Wants a new process of a worker and waits until it is ready.
  func restart(_ name: String) async throws -> WorkerStatus {
    let worker = try plannedWorker(name, field: "name")
    try refuseDuringShutdown()
    let generation = supervisor.snapshot(of: name)?.generation ?? 0
    post(.restartAsked(worker: name))
    try await waitUntilReady(name, after: generation)
    return await status(of: worker)
  }

  /// Ends everything and answers when the workers have ended.
  func shutDown() async throws -> ShutdownResponse {
    beginShutdown(because: "asked to")
    try await wait { $0.supervisor.isShutDown ? .success(()) : nil }
    return ShutdownResponse(workersEnded: endedByShutdown, workersKilled: killedByShutdown)
  }

  /// Checks that there is a log of this name.
  func checkLogName(_ name: String) throws(RPCError) {
    if name != LogKeeper.hostName { _ = try plannedWorker(name, field: "name") }
  }

  private func waitUntilReady(_ name: String, after generation: UInt64) async throws {
    try await wait { host -> Result<Void, RPCError>? in
      guard let snapshot = host.supervisor.snapshot(of: name) else { return .success(()) }
      if snapshot.state == .ready && snapshot.generation > generation { return .success(()) }
      if !snapshot.isWanted {
        return .failure(RPCError(.aborted, "\(name) was stopped before it was ready"))
      }
      // The process of before may still be ready for a moment when the order is new.
      guard snapshot.isSettled, snapshot.state != .ready else { return nil }
      return .failure(
        RPCError(
          .failedPrecondition,
          "\(name) did not become ready: \(snapshot.reason); `kith logs \(name)` says more"))
    }
  }

  private func refuseDuringShutdown() throws(RPCError) {
    if isShuttingDown { throw RPCError(.unavailable, "the host is shutting down") }
  }

  private func plannedWorker(
    _ name: String, field: String
  ) throws(RPCError) -> PlannedWorker {
    guard !name.isEmpty else {
      throw RPCError.invalidArgument(field: field, "a worker's name is missing")
    }
    guard let worker = settings.plan.worker(named: name) else {
      let known = settings.plan.workers.map(\.name)
      throw RPCError(
        .notFound,
        "\(settings.plan.product) has no worker of that name; its workers are: \(known.joined(separator: ", "))"
      )
    }
    return worker
  }

  private func notReady(_ name: String) -> RPCError {
    let snapshot = supervisor.snapshot(of: name)
    let state = snapshot.map { "\($0.state.forPeople)" } ?? "unknown"
    let reason = snapshot?.reason ?? ""
    return RPCError(
      .unavailable, "\(name) is \(state)" + (reason.isEmpty ? "" : ": \(reason)"))
  }

  private func status(of worker: PlannedWorker) async -> WorkerStatus {
    guard let snapshot = supervisor.snapshot(of: worker.name) else { return WorkerStatus() }
    let incarnation = Incarnation(worker: worker.name, generation: snapshot.generation)
    var status = WorkerStatus(
      name: worker.name, plugin: worker.plugin, pluginVersion: worker.pluginVersion,
      state: snapshot.state.contract, wanted: snapshot.isWanted, generation: snapshot.generation,
      sinceMs: since[worker.name]?.milliseconds ?? startedAtMilliseconds,
      restarts: UInt32(clamping: snapshot.restarts), reason: snapshot.reason,
      services: worker.provides)
    if let process = processes[incarnation] {
      status.pid = process.child.identity.pid
      status.residentBytes = ProcessIdentity.residentBytes(ofPid: status.pid)
      if snapshot.state == .ready { status.address = process.address }
    }
    if let nextStart = snapshot.nextStart {
      let left = nextStart - now
      status.nextStartAtMs =
        WallClock.milliseconds + left.components.seconds * 1000
        + left.components.attoseconds / 1_000_000_000_000_000
    }
    if let exit = snapshot.lastExit {
      let ended = Incarnation(worker: worker.name, generation: exit.generation)
      var message = WorkerExit(
        generation: exit.generation,
        atMs: endedAtMilliseconds[ended] ?? status.sinceMs, description: exit.description)
      switch exit.end {
      case .exitCode(let code): message.cause = .exitCode(code)
      case .signal(let number): message.cause = .signal(number)
      case .notCreated, .unknown: break
      }
      message.lastLines = await logs.lastErrorLines(of: ended)
      status.lastExit = message
    }
    return status
  }
}

extension WorkerSnapshot.State {
  /// The state in the words of the contract.
  fileprivate var contract: WorkerState {
    switch self {
    case .stopped: .stopped
    case .waiting: .waiting
    case .starting: .starting
    case .ready: .ready
    case .draining: .draining
    case .backingOff: .backingOff
    case .quarantined: .quarantined
    case .finished: .finished
    }
  }

  /// The state in a sentence: `risk-engine is backing off`.
  fileprivate var forPeople: String {
    switch self {
    case .stopped: "stopped"
    case .waiting: "waiting"
    case .starting: "starting"
    case .ready: "ready, but not in a newer generation"
    case .draining: "ending"
    case .backingOff: "backing off"
    case .quarantined: "in quarantine"
    case .finished: "finished"
    }
  }
}

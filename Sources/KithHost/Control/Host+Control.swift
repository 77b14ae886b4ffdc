import Glibc
import HostContract
import KithManifest
import KithPlanning
import KithRPC
import KithSupervision

/// What callers of the control service ask for.
extension Host {
  /// Waits until `check` gives an answer; it is asked now and after everything that happens.
  func wait<Value: Sendable>(
    _ check: @escaping @Sendable (isolated Host) -> Result<Value, RPCError>?
  ) async throws -> Value {
    if let result = check(self) { return try result.get() }
    let waiter = waits.add(check)
    // Callers that gave up are forgotten here too, lest they pile up while nothing happens.
    waits.check(self)
    return try await waiter.value()
  }

  /// The host and its workers, at once or as soon as everything is settled.
  func status(whenSettled: Bool) async throws -> GetStatusResponse {
    if whenSettled {
      try await wait { $0.supervisor.isSettled || $0.phase.isEnding ? .success(()) : nil }
    }
    var workers: [WorkerStatus] = []
    for snapshot in supervisor.snapshots {
      if let worker = definition(of: snapshot.name) { workers.append(await status(of: worker)) }
    }
    return GetStatusResponse(
      product: settings.plan.product, title: settings.plan.title,
      hostVersion: HostVersion.current, hostPid: getpid(),
      hostStartedAtMs: clock.startedAtMilliseconds, root: settings.places.stateDirectory,
      workers: workers, logTroubles: logTroubles,
      alerts: alertStandings, degradations: degradations, manifest: settings.source.product,
      remoteServices: settings.plan.remoteServices.map {
        RemoteServiceStatus(service: $0.service, address: $0.endpoint.address)
      }, failedUpgrade: HostProgram.failedUpgrade)
  }

  /// Becomes another program as soon as this has been answered.
  func upgradeHost(_ request: UpgradeHostRequest) async throws -> UpgradeHostResponse {
    try refuseDuringShutdown()
    let program: HostProgram
    do throws(SystemError) {
      program = try request.program.isEmpty ? .own() : HostProgram(path: request.program)
    } catch {
      throw RPCError(.internal, "\(error)")
    }
    let version: String
    do throws(HostFailure) {
      version = try await logs.run { () throws(HostFailure) in try program.check() }
    } catch {
      throw RPCError.invalidArgument(field: "program", "\(error); the host goes on as it is")
    }
    // What is on its way up or out would have to begin anew.
    try await wait { $0.supervisor.isSettled || $0.phase.isEnding ? .success(()) : nil }
    try refuseDuringShutdown()
    phase = .becoming(program)
    tasks.finish()
    return UpgradeHostResponse(version: version)
  }

  /// Where a worker or a service is, and a ticket for it.
  func resolve(
    _ request: ResolveRequest, by principal: Principal
  ) async throws -> ResolveResponse {
    let worker: PlannedWorker
    // Where the request names a service, the caller must require that one.
    let asked: [String]
    switch request.target {
    case .worker(let name):
      worker = try plannedWorker(name, field: "worker")
      asked = worker.provides
    case .service(let name):
      if let remote = settings.plan.remoteServices.first(where: { $0.service == name }) {
        _ = try credentials.reachableServices(of: name, providing: [name], by: principal)
        return ResolveResponse(of: remote)
      }
      worker = try provider(of: name)
      asked = [name]
    case nil:
      throw RPCError.invalidArgument(
        field: "target", "neither a worker nor a service is named; exactly one must be")
    }
    _ = try credentials.reachableServices(of: worker.name, providing: asked, by: principal)
    let isThere = workers[worker.name].published.map { $0 > request.newerThanGeneration }
    if request.waitForReady, isThere != true { workers[worker.name].calls.queue() }
    return try await wait { host in
      if let process = host.workers[worker.name].publishedProcess,
        process.incarnation.generation > request.newerThanGeneration
      {
        return Result { () throws(RPCError) in
          try host.place(of: worker, process, for: principal)
        }
      }
      if host.phase.isEnding {
        return .failure(RPCError(.unavailable, "the host is shutting down"))
      }
      guard !request.waitForReady else { return nil }
      return .failure(host.notReady(worker.name))
    }
  }

  private func provider(of service: String) throws(RPCError) -> PlannedWorker {
    if let worker = settings.plan.workers.first(where: { $0.provides.contains(service) }) {
      return worker
    }
    let known =
      settings.plan.workers.flatMap(\.provides) + settings.plan.remoteServices.map(\.service)
    throw RPCError(
      .notFound,
      "no worker of \(settings.plan.product) provides \(service); provided are: \(known.joined(separator: ", "))"
    )
  }

  /// Where a worker's process is, and a ticket for it.
  private func place(
    of worker: PlannedWorker, _ process: RunningProcess, for principal: Principal
  ) throws(RPCError) -> ResolveResponse {
    let (ticket, valid) = try credentials.ticket(
      for: process.incarnation, secret: process.record.secret, to: principal,
      services: try credentials.reachableServices(
        of: worker.name, providing: worker.provides, by: principal))
    return ResolveResponse(
      worker: worker.name, generation: process.incarnation.generation,
      address: process.address, services: worker.provides,
      pid: settings.relayPID ?? process.pid, ticket: ticket, ticketValidMs: valid)
  }
  /// Wants a worker up and waits until it is.
  func start(_ name: String, by peer: PeerIdentity) async throws -> WorkerStatus {
    let worker = try plannedWorker(name, field: "name")
    try refuseDuringShutdown()
    try checkRoom(for: "\(name) not started")
    note("start", of: [name], by: peer) { post(.wantedUp(worker: name)) }
    try await waitUntilReady(name, after: 0)
    return await status(of: worker)
  }

  /// Wants a worker down and waits until its process has ended.
  func stop(_ name: String, by peer: PeerIdentity) async throws -> WorkerStatus {
    let worker = try plannedWorker(name, field: "name")
    try checkRoom(for: "\(name) not stopped")
    note("stop", of: [name], by: peer)
    post(.wantedDown(worker: name))
    try await wait { host -> Result<Void, RPCError>? in
      guard let snapshot = host.supervisor.snapshot(of: name) else { return .success(()) }
      if snapshot.isWanted {
        return .failure(RPCError(.aborted, "\(name) was started again before it had ended"))
      }
      return snapshot.processes.isEmpty ? .success(()) : nil
    }
    return await status(of: worker)
  }

  /// Ends everything and answers when the workers have ended.
  func shutDown() async throws -> ShutdownResponse {
    beginShutdown(because: "asked to")
    // Whoever starts the product again says with which manifest.
    RunningManifest.forget(at: settings.places)
    try await wait { $0.supervisor.isShutDown ? .success(()) : nil }
    return ShutdownResponse(
      workersEnded: phase.shutdown?.workersEnded ?? 0,
      workersKilled: phase.shutdown?.workersKilled ?? 0)
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

  /// Refuses what a host that follows could not be told of.
  func checkRoom(for what: String) throws(RPCError) {
    do throws(SystemError) {
      try root.records.checkRoom()
    } catch {
      throw RPCError(
        .resourceExhausted,
        "\(what), since that could not be recorded: \(error)"
          + (error.isLackOfRoom ? "; make room there" : ""))
    }
  }

  /// Refuses what the host cannot begin before its run or while it ends its workers.
  func refuseDuringShutdown() throws(RPCError) {
    switch phase {
    case .prepared: throw RPCError(.unavailable, "the host has not begun to run")
    case .ending: throw RPCError(.unavailable, "the host is shutting down")
    case .running, .becoming: break
    }
  }

  func plannedWorker(
    _ name: String, field: String
  ) throws(RPCError) -> PlannedWorker {
    guard !name.isEmpty else {
      throw RPCError.invalidArgument(field: field, "a worker's name is missing")
    }
    guard settings.plan.worker(named: name) != nil, let worker = definition(of: name) else {
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

  /// Takes note of who asks for what; for `kith why`.
  func note(_ what: String, of names: [String], by peer: PeerIdentity) {
    let request = WorkerRequest(
      what: what, atMs: WallClock.milliseconds, pid: peer.pid ?? 0, uid: peer.uid)
    changeDesired { for name in names { $0.requests[name] = request } }
  }

  /// As above, also of those that are wanted up again since what was asked for requires them.
  func note(
    _ what: String, of names: [String], by peer: PeerIdentity, while change: () -> Void
  ) {
    note(what, of: names, by: peer)
    let down = Set(supervisor.snapshots.filter { !$0.isWanted }.map(\.name)).subtracting(names)
    change()
    let up = supervisor.snapshots.filter { $0.isWanted && down.contains($0.name) }.map(\.name)
    note("\(what) \(names.joined(separator: " "))", of: up, by: peer)
  }

  func status(of worker: PlannedWorker) async -> WorkerStatus {
    guard let snapshot = supervisor.snapshot(of: worker.name) else { return WorkerStatus() }
    let known = workers[worker.name]
    var status = WorkerStatus(
      name: worker.name, plugin: worker.plugin, pluginVersion: worker.pluginVersion,
      state: snapshot.state.contract, wanted: snapshot.isWanted, generation: snapshot.generation,
      sinceMs: known.standing?.since ?? clock.startedAtMilliseconds,
      restarts: UInt32(clamping: snapshot.restarts), reason: snapshot.reason,
      services: worker.provides,
      health: WorkerHealth(
        started: snapshot.health.isStarted, ready: snapshot.health.isReady,
        live: snapshot.health.isLive, beats: snapshot.health.progress ?? 0,
        degradation: snapshot.health.degradation,
        callsInProgress: known.lastReport(of: snapshot.generation)?.callsInProgress ?? 0),
      generations: snapshot.processes.map(\.generation).sorted(),
      requires: worker.dependencies.map(\.name),
      budget: supervisor.budgetUse(of: worker.name, at: clock.now).map {
        RestartBudget(
          used: UInt32(clamping: $0.used), allowed: UInt32(clamping: $0.budget.intensity),
          periodMs: $0.budget.period.inMilliseconds)
      }, request: desired.state.requests[worker.name],
      manifestVersion: settings.plan.worker(named: worker.name)?.pluginVersion ?? "")
    if let process = known[snapshot.generation] {
      status.adoptedAtMs = process.adoptedAtMilliseconds
      status.pid = process.pid
      status.residentBytes = ProcessIdentity.residentBytes(ofPid: status.pid)
      if snapshot.state == .ready { status.address = process.address }
    }
    if let nextStart = snapshot.nextStart {
      status.nextStartAtMs = WallClock.milliseconds + (nextStart - clock.now).inMilliseconds
    }
    if let exit = snapshot.lastExit {
      var message = WorkerExit(exit, at: known.end(of: exit.generation) ?? status.sinceMs)
      message.lastLines = await logs.lastErrorLines(
        of: Incarnation(worker: worker.name, generation: exit.generation))
      status.lastExit = message
    } else {
      // What an earlier host saw.
      status.lastExit = desired.state.exits[worker.name]
    }
    return status
  }
}

extension ResolveResponse {
  /// Where a service of another machine is.
  fileprivate init(of remote: RemoteService) {
    let credentials = remote.endpoint.credentials
    self.init(
      address: remote.endpoint.address, services: [remote.service],
      security: NetworkSecurity(
        authorities: credentials?.authorities ?? "",
        certificate: credentials?.certificate ?? "",
        privateKey: credentials?.privateKey ?? "",
        insecure: credentials == nil,
        serverName: credentials?.serverName ?? ""))
  }
}

extension WorkerSnapshot.State {
  /// The state in the words of the contract.
  var contract: WorkerState {
    switch self {
    case .stopped: .stopped
    case .waiting: .waiting
    case .starting: .starting
    case .ready: .ready
    case .held: .held
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
    case .held: "held"
    case .draining: "ending"
    case .backingOff: "backing off"
    case .quarantined: "in quarantine"
    case .finished: "finished"
    }
  }
}

extension WorkerExit {
  /// The end of a process in the words of the contract, without its last ones.
  init(_ exit: WorkerSnapshot.Exit, at milliseconds: Int64) {
    self.init(
      generation: exit.generation, atMs: milliseconds, description: exit.description,
      stuck: exit.wasStuck, outOfMemory: exit.end == .outOfMemory)
    switch exit.end {
    case .exitCode(let code): cause = .exitCode(code)
    case .signal(let number): cause = .signal(number)
    case .killedFromOutside: cause = .signal(SIGKILL)
    case .outOfMemory, .notCreated, .unknown: break
    }
  }
}

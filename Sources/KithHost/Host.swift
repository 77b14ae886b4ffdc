import CLinux
import Crypto
import Glibc
import HostContract
import KithIdentity
import KithManifest
import KithPlanning
import KithRPC
import KithSupervision
import KithTransportNng

/// The host of one product: carries out what the supervisor decides, and tells it what happened.
///
/// It lives on a thread of its own (`Reactor`), so that everything that happens has one order: an event is taken in, and
/// what it calls for is done, before the next one. The data between callers and workers never passes through here.
public actor Host {
  /// A process that runs.
  struct RunningProcess {
    var child: WorkerProcess
    var watch: Reactor.Watch
    var address: String
    /// What a host that follows is told of it.
    var record: ProcessRecords.Record
    /// Nil for a process of a worker that is no longer part of the product: nothing is asked of it.
    var link: WorkerLink?
    /// The pipe on which the process says that it listens; nil once it has.
    var notice: (watch: Reactor.Watch, text: [UInt8])?
    /// Its control group; nil where there is none.
    var group: ControlGroup?
    /// What counts its processes where that does not; nil where there is no such group either.
    var countingGroup: ControlGroup?
    /// Whether this host has sent it SIGKILL.
    var wasKilled = false
    /// When this host took it over, in milliseconds since 1970; nil when it has started it.
    var adoptedAt: Int64?
    /// How many turns of due work it had run when last asked; nil for one that was taken over and not asked yet.
    var turns: UInt64?
  }

  /// How a worker is, and since when in milliseconds since 1970.
  struct Standing {
    var state: WorkerSnapshot.State
    var generation: UInt64
    var since: Int64
  }

  var settings: HostSettings
  let reactor: Reactor
  let logs: LogKeeper
  let lock: RootLock
  let records: ProcessRecords
  /// Who may call the control service.
  let callers: HostCallers
  /// With what operators are known and passes are signed.
  let secrets: HostSecrets
  /// The product's name.
  nonisolated let product: String
  /// How far the workers' stores have come.
  var storeRecords: StoreRecords
  /// What limits the processes of workers, or why there is nothing that does.
  let controlGroups: Result<ControlGroups, SystemError>
  /// What counts the processes of workers where those do not; nil where nothing does.
  let countingGroups: CountingGroups?
  var generations: GenerationCounter
  /// One thing after the other that must be waited for, so that the host's thread need not.
  let chores: AsyncStream<@Sendable () async -> Void>.Continuation
  private let choreList: AsyncStream<@Sendable () async -> Void>

  private let startedAt = ContinuousClock.now
  let startedAtMilliseconds = WallClock.milliseconds
  var supervisor: Supervisor
  var alerts: AlertEvaluator
  /// The processes that the host has started beside its workers, by their pids.
  var helpers: Set<Int32> = []
  /// What went wrong with the last page, by the way that it was sent.
  var pagerTroubles: [String: String] = [:]
  /// Counts the sets of alert rules that have stood.
  var alertRound = 0
  /// What serves the metrics; nil when nothing does.
  var metricsServer: MetricsServer?
  /// Where it cannot serve them, and why.
  var metricsTroubles: [String] = []
  /// What started this host and wants to know how it is; nil when nothing does.
  let serviceManager: ServiceManager?
  private var events: [SupervisionEvent] = []
  private var isHandlingEvents = false
  var processes: [Incarnation: RunningProcess] = [:]
  var published: [String: Incarnation] = [:]
  /// Since when each worker is as it is.
  var standings: [String: Standing] = [:]
  var endedAtMilliseconds: [Incarnation: Int64] = [:]
  /// What each worker's processes are made from, by revision. The plan's is 0.
  var definitions: [String: [UInt64: PlannedWorker]]
  /// What an earlier host left, until this one leads it.
  var earlier: EarlierProcesses?
  /// What those were made from.
  let adopted: [Incarnation: Adopted]
  var latestRevision: UInt64 = 0
  /// Whether the clocks of virtual time are being moved.
  var isMovingClock = false
  /// Whether a changed manifest is being taken over.
  var isTakingOver = false
  /// With what the fingerprints of planned changes are made.
  let fingerprintKey = SymmetricKey(size: .bits256)
  /// What processes said last about themselves.
  var reports: [Incarnation: HealthReportMessage] = [:]
  /// Those that are being listened to.
  var watched: Set<Incarnation> = []
  var tallies: [String: CallTally] = [:]
  /// What somebody has asked for and a host that follows must know.
  var wishes: HostWishes
  /// Why that is not in its file; nil when it is.
  var wishesTrouble: String?
  /// Why there are no keys for workers that keep data; nil when there are, or none was asked for yet.
  var keysTrouble: String?
  /// Whether processes are being handed keys: one after the other, so that none is handed what is no longer so.
  var isHandingOverKeys = false
  /// Where a file of wishes was put that did not hold any; nil when there was none such.
  private let damagedWishes: String?
  var waiters: [@Sendable (isolated Host) -> Bool] = []
  var isShuttingDown = false
  /// What this process is about to become; nothing is decided any more then.
  var successor: HostProgram?
  /// Why the host ends though nobody asked for it; nil when it does not.
  var failure: HostFailure?
  /// Whether the root is another's by now, or nowhere: nothing is written there any more.
  var isRootLost = false
  /// What serves the control socket; nil until it does.
  var control: RPCServer?
  /// The control socket as this host made it.
  var controlSocket: FileIdentity?
  /// Processes whose sockets are gone, and which are being replaced.
  var deaf: Set<Incarnation> = []
  var endedByShutdown: UInt32 = 0
  var killedByShutdown: UInt32 = 0

  /// The host's own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    reactor.asUnownedSerialExecutor()
  }

  /// Prepares a host: its folders, its lock, and what an earlier host left running is looked for. Nothing is started yet.
  ///
  /// May block for the milliseconds that it takes to read the manifests and /proc.
  public init(_ settings: HostSettings) throws(HostFailure) {
    self.settings = settings
    let places = settings.places
    do throws(ManifestError) {
      try places.checkSockets(workers: settings.plan.workers.map(\.name))
    } catch {
      throw HostFailure(.cannotCreate, "\(error)")
    }
    lock = try Self.takeRoot(places)
    try Self.claimRoot(places)
    records = ProcessRecords(places)
    product = settings.plan.product
    do throws(SystemError) {
      secrets = try HostSecrets(places)
      callers = HostCallers(product: settings.plan.product, token: secrets.token)
    } catch {
      throw HostFailure(.cannotCreate, Self.advice(error, places))
    }
    storeRecords = StoreRecords(folder: places.storeRecordsDirectory)
    controlGroups = Result { () throws(SystemError) in try ControlGroups() }
    let counts = (try? controlGroups.get())?.controllers.contains(.pids) == true
    countingGroups = counts ? nil : CountingGroups()
    var (wishes, damagedWishes) = HostWishes.read(Self.wishesPath(places))
    self.damagedWishes = damagedWishes
    // What an earlier host of this product showed last stands, for its workers go by it.
    wishes.virtualTime =
      wishes.virtualTime
      ?? settings.virtualStart.map {
        ClockMove.Time(wallMilliseconds: $0, elapsedMilliseconds: 0)
      }
    self.wishes = wishes
    let earlier: EarlierProcesses
    do throws(SystemError) {
      earlier = try EarlierProcesses.find(records)
      reactor = try Reactor(name: "kith-host")
      let named = Set(settings.plan.workers.map(\.name)).union(earlier.spooled.map(\.worker))
      logs = try LogKeeper(
        reactor: try Reactor(name: "kith-logs"), scrubber: try Reactor(name: "kith-scrub"),
        places: places, workers: named.sorted())
    } catch {
      throw HostFailure(.cannotCreate, Self.advice(error, places))
    }
    generations = try GenerationCounter(
      path: places.stateDirectory + "/generations.json",
      workers: settings.plan.workers.map(\.name),
      told: {
        earlier.generations.merging(
          RotatedFile.lastGenerations(in: places.logsDirectory), uniquingKeysWith: max)
      },
      advice: { Self.advice($0, places) })
    self.earlier = earlier
    let adopted = Self.definitions(of: earlier, settings: settings)
    var definitions = Dictionary(
      uniqueKeysWithValues: settings.plan.workers.map { ($0.name, [UInt64(0): $0]) })
    var served: [String: UInt64] = [:]
    for (incarnation, adopted) in adopted.sorted(by: { $0.key.generation < $1.key.generation }) {
      // An upgrade lasts until the product is ended, not only its host.
      if adopted.worker != definitions[incarnation.worker]?[0] {
        served[incarnation.worker] = adopted.revision
      }
      definitions[incarnation.worker]?[adopted.revision] = adopted.worker
      latestRevision = max(latestRevision, adopted.revision)
    }
    self.adopted = adopted
    self.definitions = definitions
    alerts = AlertEvaluator(
      rules: settings.plan.alerts, workers: settings.plan.workers.map(\.name))
    serviceManager = ServiceManager(environment: settings.environment)
    (choreList, chores) = AsyncStream.makeStream()
    let counted = generations
    do throws(WorkerGraph.Flaw) {
      supervisor = try Supervisor(
        settings.plan.workers.map { worker in
          let revision = served[worker.name] ?? 0
          let worker = definitions[worker.name]?[revision] ?? worker
          var specification = worker.specification(lastGeneration: counted[worker.name])
          specification.revision = revision
          specification.wanted = !wishes.stopped.contains(worker.name)
          return specification
        },
        jitterSeed: UInt64.random(in: .min ... .max))
    } catch {
      // The plan has checked names and cycles.
      throw HostFailure(.internal, "the plan cannot be supervised: \(error)")
    }
  }

  private static func wishesPath(_ places: ProductPlaces) -> String {
    places.hostDirectory + "/wishes.json"
  }

  private static func takeRoot(_ places: ProductPlaces) throws(HostFailure) -> RootLock {
    do throws(SystemError) {
      try DurableFile.createPrivateFolder(places.stateDirectory)
      try DurableFile.createPrivateFolder(places.logsDirectory)
      try DurableFile.createPrivateFolder(places.runtimeDirectory)
      try DurableFile.createPrivateFolder(places.hostDirectory)
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

  private static func claimRoot(_ places: ProductPlaces) throws(HostFailure) {
    let owner: String?
    do throws(SystemError) {
      owner = try RootProduct.claim(places)
    } catch {
      throw HostFailure(.cannotCreate, advice(error, places))
    }
    guard let owner else { return }
    throw HostFailure(
      .badInput,
      "\(places.stateDirectory) holds the product \(owner), and not \(places.product); give \(places.product) "
        + "a folder of its own with --root DIR, or start \(owner)")
  }

  static func advice(_ error: SystemError, _ places: ProductPlaces) -> String {
    let help =
      switch error.code {
      case _ where error.isLackOfRoom: "make room there, or choose"
      case EPERM: "make it yours alone (chmod 700), or choose"
      case EACCES: "give user \(geteuid()) the right to write there, or choose"
      default: "the host keeps its state in \(places.stateDirectory): choose"
      }
    return "\(error); \(help) another folder with --root DIR"
  }

  // MARK: Running

  /// Serves the control service and runs the workers until a shutdown has been carried out. A host that is upgraded does not
  /// return: its process becomes the new program.
  ///
  /// `listening` is called once, when the control socket accepts connections.
  public func run(listening: @Sendable () -> Void) async throws(HostFailure) {
    // What a worker leaves behind becomes a child of the host, which sees to its end.
    _ = kith_linux_adopt_orphans()
    let server = RPCServer(
      services: [.host(HostService(host: self))], limits: .connections(inPartOfOpenFiles: 0.5),
      // What the host is asked is small.
      budget: MessageBudget(maximumBytes: 16 << 20),
      authorize: { [account = settings.workerAccount] in
        RPCServer.sameUser($0) || account != nil && $0.uid == account?.user
      },
      identify: { [callers] method, metadata, _ throws(RPCError) in
        try callers.identify(method, metadata)
      })
    do throws(RPCError) {
      try server.start(on: NngListener(address: settings.places.controlAddress))
    } catch {
      throw HostFailure(.cannotCreate, "the control socket cannot be opened: \(error.message)")
    }
    do throws(SystemError) {
      try letWorkersConnect()
    } catch {
      throw HostFailure(.cannotCreate, "\(error)")
    }
    log("host \(HostVersion.current) runs \(settings.plan.product), pid \(getpid())")
    keepRunningManifest()
    if let damage = generations.damage { log(damage, level: .error) }
    if let damagedWishes {
      log(
        "what was asked for before is not known, since its file was damaged: all workers are wanted up; it is kept as \(damagedWishes)",
        level: .error)
    }
    for degradation in degradations { log("degraded: \(degradation)", level: .warning) }
    listening()
    HostProgram.settle()
    if !HostProgram.failedUpgrade.isEmpty {
      log(
        "put back, since the new program did not start: \(HostProgram.failedUpgrade)", level: .error
      )
    }
    beginTelling()
    watchPlaces(server)
    adopt()
    post(.timePassed)
    await withDiscardingTaskGroup { group in
      for await chore in choreList { group.addTask { await chore() } }
      group.cancelAll()
    }
    // Who waits learns now that there is nothing more to come; the answers leave before the process does.
    logs.releaseReaders()
    if isRootLost {
      // To close it would remove the socket of whoever has its path by now; the kernel does it without that.
      _ = Unmanaged.passRetained(server)
    } else {
      await close(server)
    }
    if !isRootLost {
      if successor == nil { unlink(Self.wishesPath(settings.places)) }
      // Not a failure if it cannot be written: the next host then goes on with higher numbers.
      try? generations.close()
    }
    if successor == nil {
      if case .success(let groups) = controlGroups { groups.remove() }
      countingGroups?.remove()
    }
    log(successor.map { "becomes \($0.path)" } ?? "ended")
    await logs.flush(isLast: successor == nil)
    if successor == nil, !isRootLost { HostSecrets.remove(settings.places) }
    if let failure { throw failure }
    guard let successor else { return }
    let failure = successor.become(keeping: lock.number)
    HostProgram(path: "/proc/self/exe").comeBack(because: failure, keeping: lock.number)
    throw HostFailure(.internal, "\(failure)")
  }

  /// Ends the control service: the answers leave before the process does.
  private func close(_ server: RPCServer) async {
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
  }

  /// Begins to end everything; `run` returns when it is done. More calls change nothing.
  public func beginShutdown(because reason: String) {
    guard !isShuttingDown else { return }
    log("shutting down: \(reason)")
    serviceManager?.send(.stopping)
    isShuttingDown = true
    endedByShutdown = UInt32(processes.count)
    post(.shutDownAsked)
  }

  // MARK: Events

  var now: Moment { Moment(sinceStart: ContinuousClock.now - startedAt) }

  /// Tells the supervisor what happened and does what it says.
  func post(_ event: SupervisionEvent) {
    guard successor == nil else { return }
    events.append(event)
    // What is done may itself be an event; it waits for its turn.
    guard !isHandlingEvents else { return }
    isHandlingEvents = true
    var changed = false
    while !events.isEmpty {
      let event = events.removeFirst()
      let before = event.snapshotIfReport(in: supervisor)
      let actions = supervisor.handle(event, at: now)
      for action in actions { carryOut(action) }
      changed =
        changed || before == nil || !actions.isEmpty
        || event.snapshotIfReport(in: supervisor) != before
    }
    isHandlingEvents = false
    if changed { tellOfChanges() }
    reactor.setAlarm(for: self, at: supervisor.nextDeadline.map { startedAt + $0.sinceStart }) {
      [weak self] in
      self?.assumeIsolated { $0.post(.timePassed) }
    }
    if supervisor.isShutDown { chores.finish() }
  }

  /// Tells all who want to know that something is otherwise than it was.
  private func tellOfChanges() {
    noteStates()
    if !isShuttingDown {
      let snapshots = supervisor.snapshots
      changeWishes { wishes in
        wishes.stopped = Set(snapshots.filter { !$0.isWanted }.map(\.name))
        for snapshot in snapshots {
          guard let exit = snapshot.lastExit else { continue }
          let ended = Incarnation(worker: snapshot.name, generation: exit.generation)
          wishes.exits[snapshot.name] = WorkerExit(
            exit, at: endedAtMilliseconds[ended] ?? wishes.exits[snapshot.name]?.atMs ?? 0)
        }
      }
    }
    serviceManager?.send(status: statusInWords)
    waiters.removeAll { $0(self) }
  }

  /// Changes what a host that follows must know.
  func changeWishes(_ change: (inout HostWishes) -> Void) {
    let before = wishes
    change(&wishes)
    guard wishes != before else { return }
    writeWishes()
  }

  /// Has the file say what is asked for, again and again until it does: one that says less would be obeyed by the next host.
  func writeWishes() {
    guard !isRootLost, !isShuttingDown || wishesTrouble == nil else { return }
    do throws(SystemError) {
      try wishes.write(Self.wishesPath(settings.places))
      wishesTrouble = nil
    } catch {
      let trouble =
        "should this host be killed, the next one goes by what was asked for earlier: \(error)"
      if trouble != wishesTrouble { log(trouble, level: .error) }
      wishesTrouble = trouble
      reactor.setAlarm(for: lock, at: .now + .seconds(1)) { [weak self] in
        self?.assumeIsolated { $0.writeWishes() }
      }
    }
  }

  private func noteStates() {
    let milliseconds = WallClock.milliseconds
    for snapshot in supervisor.snapshots {
      let (name, generation) = (snapshot.name, snapshot.generation)
      let before = standings[name]
      guard before?.state != snapshot.state || before?.generation != generation else { continue }
      var standing = Standing(state: snapshot.state, generation: generation, since: milliseconds)
      let record = processes[Incarnation(worker: name, generation: generation)]?.record
      // One that was taken over has been ready for longer than its host, and one that was stopped has been that.
      if snapshot.state == .ready, before?.state != .held, let since = record?.readySince {
        standing.since = since
      } else if snapshot.state == .stopped, before == nil, let exit = wishes.exits[name] {
        standing.since = exit.atMs
      }
      standings[name] = standing
    }
  }

  /// What a worker is made from: its process, or without one its next.
  func definition(of name: String) -> PlannedWorker? {
    guard let snapshot = supervisor.snapshot(of: name) else { return nil }
    return definitions[name]?[snapshot.revision ?? snapshot.specifiedRevision]
  }

  private func carryOut(_ action: SupervisionAction) {
    switch action {
    case .spawn(let incarnation, let revision):
      do throws(SystemError) {
        try spawn(incarnation, revision: revision)
        post(.stepCompleted(incarnation, .spawn))
      } catch {
        post(.stepFailed(incarnation, .spawn, StartFailure(reason: "\(error)")))
      }
    case .perform(.watch, let incarnation): watch(incarnation)
    case .perform(let step, let incarnation):
      guard let link = processes[incarnation]?.link else { return }
      let address = settings.places.controlAddress
      chores.yield {
        let failure = await link.perform(step, hostAddress: address)
        await self.stepEnded(step, of: incarnation, failure)
      }
    case .publish(let incarnation):
      record(incarnation, as: .serving)
      published[incarnation.worker] = incarnation
      repeatLogLevel(to: incarnation)
      repeatTime(to: incarnation)
    case .withdraw(let incarnation):
      if published[incarnation.worker] == incarnation { published[incarnation.worker] = nil }
    case .drain(let incarnation, let grace):
      record(incarnation, as: .ending)
      guard let link = processes[incarnation]?.link else { return }
      let isReplaced = published[incarnation.worker] != nil
      chores.yield {
        if await !link.drain(grace: grace, isReplaced: isReplaced) {
          await self.drainFailed(incarnation)
        }
      }
    case .terminate(let incarnation):
      record(incarnation, as: .ending)
      processes[incarnation]?.child.signal(SIGTERM)
    case .kill(let incarnation):
      record(incarnation, as: .ending)
      guard let process = processes[incarnation] else { return }
      if isShuttingDown { killedByShutdown += 1 }
      processes[incarnation]?.wasKilled = true
      process.child.signal(SIGKILL)
      process.child.signalGroup(SIGKILL)
      process.group?.kill()
      process.countingGroup?.kill()
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
      if step == .adopt { chores.yield { await self.handOverKeys(toAdopted: incarnation) } }
    }
  }

  private func drainFailed(_ incarnation: Incarnation) {
    post(.drainFailed(incarnation))
  }

  // MARK: Telling

  func log(_ text: String, level: LogRecord.Level = .notice) {
    logs.note(log: LogKeeper.hostName, generation: 0, level: level, text)
    if settings.isForeground { StandardError.write("kithd: \(text)\n") }
  }
}

extension SupervisionEvent {
  /// How the worker is that this reports of; nil for any other event. Reports come all the time, and mostly change nothing.
  fileprivate func snapshotIfReport(in supervisor: Supervisor) -> WorkerSnapshot? {
    guard case .reported(let incarnation, _) = self,
      var snapshot = supervisor.snapshot(of: incarnation.worker)
    else { return nil }
    // That it gets on is no news.
    snapshot.health.progress = nil
    return snapshot
  }
}

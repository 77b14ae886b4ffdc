import Glibc
import KithIdentity
import KithManifest
import KithPlanning
import KithSupervision
import KithWire
import WorkerContract

/// Processes: how they begin and what they report.
extension Host {
  func spawn(_ incarnation: Incarnation, revision: UInt64) throws(SystemError) {
    guard holdsRoot() else {
      throw SystemError(
        "use \(settings.places.stateDirectory), which was moved or removed", code: ESTALE)
    }
    do throws(SystemError) {
      try launch(incarnation, revision: revision)
    } catch {
      for stream in [LogRecord.Stream.stdout, .stderr] {
        unlink(spoolPath(of: incarnation, stream))
      }
      throw error
    }
  }

  /// The folders that a new process works in, and its keys.
  private struct Workplace {
    /// Its socket, and the folder that holds it.
    var socket: String
    var sockets: String
    /// The worker's own folder; empty in a product that keeps nothing.
    var state: String
    var sealingKeys: [SealingKey]
  }

  private func launch(_ incarnation: Incarnation, revision: UInt64) throws(SystemError) {
    guard let worker = workers[incarnation.worker].definition(revision) else {
      throw SystemError("find worker \(incarnation.worker) in the plan", code: ENOENT)
    }
    try generations.use(incarnation.generation, of: worker.name)
    if generations.runsLow(worker.name) { reserveGenerations(for: worker.name) }
    try checkSecrecy(of: worker)
    let workplace = try prepareWorkplace(of: worker, incarnation)
    let launch = try Descriptor.pipe()
    let notice = try Descriptor.pipe()
    let groups = try resources.makeGroups(for: incarnation, worker.limits)
    let child: WorkerProcess
    do throws(SystemError) {
      child = try WorkerProcess.spawn(
        launchOrders(
          for: worker, incarnation, workplace, reading: launch.reading, reporting: notice.writing,
          groups: groups))
    } catch {
      groups.remove()
      rmdir(workplace.sockets)
      throw error
    }
    do throws(SystemError) {
      let record = ProcessRecords.Record(
        incarnation: incarnation, identity: child.identity, socket: workplace.socket,
        secret: IncarnationSecret().bytes,
        digest: worker.digest(in: settings.plan, account: settings.workerAccount),
        pluginDirectory: worker.pluginDirectory)
      try root.write(record)
      credentials.callers[incarnation] = HostCallers.Known(worker, secret: record.secret)
      try launch.writing.writeAll(
        try Self.encoded(launchRecord(of: worker, record, workplace)), to: "the launch record")
      try notice.reading.setNonBlocking()
      let exitWatch = try watchEnd(of: child, incarnation)
      let noticeWatch = try reactor.watch(notice.reading) { [weak self] in
        self?.assumeIsolated { $0.noticeReported(incarnation, notice.reading) }
      }
      var process = RunningProcess(
        child, .thisHost, record: record, link: link(to: record, of: worker), groups: groups,
        exitWatch: exitWatch)
      process.notice = .awaited(noticeWatch, text: [])
      workers[worker.name].add(process)
      logs.capture(incarnation)
      log("\(incarnation): started, pid \(child.identity.pid)")
    } catch {
      child.signalGroup(SIGKILL)
      child.reapWhenEnded()
      groups.end()
      credentials.callers[incarnation] = nil
      root.remove(incarnation)
      throw error
    }
  }

  private func prepareWorkplace(
    of worker: PlannedWorker, _ incarnation: Incarnation
  ) throws(SystemError) -> Workplace {
    let socket: String
    do throws(ManifestError) {
      socket = try settings.places.socket(
        worker: worker.name, generation: incarnation.generation)
    } catch {
      throw SystemError("\(error.message)", code: ENAMETOOLONG)
    }
    let sockets = settings.places.socketFolder(
      worker: worker.name, generation: incarnation.generation)
    try DurableFile.createPrivateFolder(sockets, in: settings.places.stateDirectory)
    try settings.workerAccount?.own(sockets)
    let state = try stateFolder(of: worker)
    return Workplace(
      socket: socket, sockets: sockets, state: state,
      sealingKeys: try state.isEmpty ? [] : sealingKeys(of: worker.name))
  }

  /// What a new process is made from.
  private func launchOrders(
    for worker: PlannedWorker, _ incarnation: Incarnation, _ workplace: Workplace,
    reading launch: Descriptor, reporting notice: Descriptor, groups: ProcessGroups
  ) throws(SystemError) -> WorkerProcess.Launch {
    let state = workplace.state
    return WorkerProcess.Launch(
      executable: worker.executablePath,
      environment: settings.workerEnvironment(of: worker, state: state)
        + [marked(incarnation).entry],
      workingDirectory: state.isEmpty ? workplace.sockets : state,
      descriptors: [
        try Descriptor.open("/dev/null", O_RDONLY),
        try OutputSpool.create(spoolPath(of: incarnation, .stdout)),
        try OutputSpool.create(spoolPath(of: incarnation, .stderr)),
        launch, notice,
      ], openFiles: worker.limits.openFiles, dataBytes: resources.dataBytes(of: worker.limits),
      processes: resources.processesInNamespace(of: worker.limits),
      controlGroup: try groups.limiting?.open(), processGroup: try groups.counting?.open(),
      account: settings.workerAccount,
      confinement: Confinement(
        of: worker, state: state, sockets: workplace.sockets,
        runtime: settings.places.runtimeDirectory,
        remoteServices: settings.plan.remoteServices))
  }

  /// What a new process reads first.
  private func launchRecord(
    of worker: PlannedWorker, _ record: ProcessRecords.Record, _ workplace: Workplace
  ) -> LaunchRecord {
    LaunchRecord(
      product: settings.plan.product, worker: worker.name,
      generation: record.incarnation.generation, secret: record.secret,
      address: "ipc://\(workplace.socket)", pluginDirectory: worker.pluginDirectory,
      stateDirectory: workplace.state,
      logLevel: desired.state.logLevels[worker.name]?.rawValue ?? "",
      pluginVersion: worker.pluginVersion,
      listen: worker.listen.map(NetworkListener.init), store: storeOrders(for: worker),
      virtualTime: desired.state.virtualTime.map(VirtualTime.init),
      sealingKeys: workplace.sealingKeys,
      missingKeysReason: workplace.state.isEmpty ? "" : keys.trouble ?? "",
      passKey: credentials.secrets.passKey.publicBytes,
      actsForUsers: worker.actsForUsers, memoryLimitBytes: worker.limits.memoryBytes ?? 0)
  }
  /// Has the host notice the end of a process.
  func watchEnd(
    of child: WorkerProcess, _ incarnation: Incarnation
  ) throws(SystemError) -> Reactor.Watch {
    try reactor.watch(child.pidfd) { [weak self] in
      self?.assumeIsolated { $0.childReported(incarnation) }
    }
  }

  /// The calls that lead a process.
  func link(to record: ProcessRecords.Record, of worker: PlannedWorker) -> WorkerLink {
    WorkerLink(
      incarnation: record.incarnation, product: settings.plan.product, worker: worker,
      address: "ipc://\(record.socket)", secret: IncarnationSecret(record.secret),
      identity: record.identity, relayPID: settings.relayPID)
  }

  /// The keys for a new process of a worker that may keep data; none when `keys.trouble` says why.
  private func sealingKeys(of worker: String) throws(SystemError) -> [SealingKey] {
    let before = keys.trouble
    let found = try keys.keys(of: worker)
    if let trouble = keys.trouble, trouble != before { log(trouble, level: .error) }
    return found
  }

  private func storeOrders(for worker: PlannedWorker) -> StoreOrders {
    var orders = StoreOrders(
      salvages: worker.store.whenDamaged == .salvage,
      keepEventsMs: worker.store.keepEvents.inMilliseconds,
      keepEventsBytes: Int64(clamping: worker.store.keepEventsBytes))
    do throws(SystemError) {
      let known = try stores.known(of: worker.name)
      orders.knownLog = known?.log ?? ""
      orders.knownCommits = known?.commits ?? 0
    } catch {
      // The mark beside the store still says so.
      log("how far the store of \(worker.name) has come is not known: \(error)", level: .error)
    }
    return orders
  }

  private func spoolPath(of incarnation: Incarnation, _ stream: LogRecord.Stream) -> String {
    OutputSpool.path(of: incarnation, stream, in: OutputSpool.folder(of: settings.places))
  }

  /// Refuses to start a worker that could read what proves operators and processes: a root beneath
  /// a folder that it may read.
  private func checkSecrecy(of worker: PlannedWorker) throws(SystemError) {
    let open = Confinement(
      of: worker, state: "", sockets: "", runtime: "",
      remoteServices: settings.plan.remoteServices
    ).readable
    for folder in [settings.places.stateDirectory, settings.places.hostDirectory] {
      guard let reached = open.first(where: { Self.lies(folder, within: $0) }) else { continue }
      throw SystemError(
        "keep secrets from \(worker.name): \(folder) lies within \(reached), which workers may read; choose another "
          + "folder with --root DIR", code: EPERM)
    }
  }

  private static func lies(_ folder: String, within other: String) -> Bool {
    func real(_ path: String) -> String {
      guard let resolved = realpath(path, nil) else { return path }
      defer { free(resolved) }
      return String(cString: resolved)
    }
    let (folder, other) = (real(folder), real(other))
    return folder == other || folder.hasPrefix(other == "/" ? "/" : other + "/")
  }

  /// Has a host that follows know how far the process is. It would find that out too, if this
  /// cannot be written.
  func record(_ incarnation: Incarnation, as phase: ProcessRecords.Record.Phase) {
    guard let record = workers.update(incarnation, { $0.advance(to: phase) }) ?? nil else { return }
    try? root.write(record)
  }

  private func marked(_ incarnation: Incarnation) -> MarkedProcesses {
    MarkedProcesses(incarnation, runtimeDirectory: settings.places.runtimeDirectory)
  }

  /// Reserves more generations on the thread that may wait for the disk. One that fails is made up
  /// for by the next use.
  private func reserveGenerations(for worker: String) {
    let reservation = generations.reservation(for: [worker])
    logs.perform {
      guard (try? reservation.write()) != nil else { return }
      self.reactor.perform { self.assumeIsolated { $0.generations.accept(reservation) } }
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
    do throws(SystemError) {
      try DurableFile.createPrivateFolder(
        folder, in: settings.places.stateDirectory, of: settings.workerAccount?.user)
    } catch {
      guard settings.workerAccount == nil, let owner = WorkerAccount.owner(of: folder) else {
        throw error
      }
      throw SystemError(
        "use \(folder), which belongs to the account \(owner): start the product with --worker-account \(owner), as it was "
          + "before, or as \(owner)", code: EPERM)
    }
    try settings.workerAccount?.own(folder)
    return folder
  }

  /// The pidfd is readable: the process has ended.
  func childReported(_ incarnation: Incarnation) {
    guard let end = workers[incarnation]?.child.end(),
      let process = workers[incarnation.worker].end(
        incarnation.generation, at: WallClock.milliseconds)
    else { return }
    reactor.ignore(process.exitWatch)
    if case .awaited(let watch, _) = process.notice { reactor.ignore(watch) }
    // Its last words are in the pipes before anybody asks for them.
    logs.finish(incarnation)
    process.child.reap()
    // What it started ends with it, wherever that went; to find it takes too long for this thread.
    let marked = marked(incarnation)
    let ranOutOfMemory = process.groups.ranOutOfMemory
    logs.perform {
      process.groups.end()
      marked.end(in: process.child.namespace)
    }
    MarkedProcesses.reapOrphans(
      besides: paging.running.union(workers.running.map(\.pid)))
    credentials.callers[incarnation] = nil
    root.remove(incarnation)
    // One that is listened to is heard out first.
    if process.health == nil { tasks.add { process.link?.close() } }
    if process.record.phase == .starting, process.origin != .thisHost, process.link != nil {
      // That nobody led it to its readiness is no fault of its own.
      let failure = StartFailure(reason: "it was being started")
      post(.stepFailed(incarnation, .adopt, failure))
    }
    tell(incarnation, end, of: process, ranOutOfMemory: ranOutOfMemory)
  }

  /// Tells the supervisor how a process ended, as far as that can be known.
  /// - Parameter ranOutOfMemory: what its control group says; nil when it does not.
  private func tell(
    _ incarnation: Incarnation, _ end: ProcessEnd, of process: RunningProcess, ranOutOfMemory: Bool?
  ) {
    let bySignal = if case .signal = end { true } else { false }
    if ranOutOfMemory == true {
      post(.exited(incarnation, .outOfMemory))
    } else if end == .signal(SIGKILL), !process.wasKilled {
      post(
        .exited(incarnation, .killedFromOutside(mayBeOutOfMemory: ranOutOfMemory == nil)))
    } else if bySignal, !process.wasKilled, ranOutOfMemory == nil {
      // A process that is refused memory ends itself, and says why; its words are known on another
      // thread.
      tasks.add {
        let isProven = await self.logs.saidOutOfMemory(incarnation)
        await self.post(.exited(incarnation, isProven ? .outOfMemory : end))
      }
    } else {
      post(.exited(incarnation, end))
    }
  }

  /// The notice pipe has something to say, or its other end was closed.
  private func noticeReported(_ incarnation: Incarnation, _ descriptor: Descriptor) {
    guard case .awaited(let watch, var text) = workers[incarnation]?.notice else { return }
    switch try? descriptor.read(atMost: 256) {
    case .wouldBlock?: return
    case .bytes(let bytes)?:
      text += bytes
      let line = text
      guard line.contains(UInt8(ascii: "\n")) || line.count > 256 else {
        workers.update(incarnation) { $0.notice = .awaited(watch, text: line) }
        return
      }
      stopNotice(of: incarnation, watch)
      if line.starts(with: Array("listening\n".utf8)) {
        post(.stepCompleted(incarnation, .listen))
      } else {
        let failure = StartFailure(reason: "what it wrote to its notice pipe is not `listening`")
        post(.stepFailed(incarnation, .listen, failure))
      }
    // Closed without a word: the process is about to end, which says more, or will run into its
    // time limit.
    case .end?, nil: stopNotice(of: incarnation, watch)
    }
  }

  private func stopNotice(of incarnation: Incarnation, _ watch: Reactor.Watch) {
    reactor.ignore(watch)
    workers.update(incarnation) { $0.notice = .over }
  }
}

extension NetworkListener {
  fileprivate init(_ endpoint: NetworkEndpoint) {
    self.init(
      address: endpoint.address, authorities: endpoint.credentials?.authorities ?? "",
      certificate: endpoint.credentials?.certificate ?? "",
      privateKey: endpoint.credentials?.privateKey ?? "", insecure: endpoint.credentials == nil,
      actsForUsers: endpoint.actsFor == .users, actsFor: endpoint.actsFor.ids)
  }
}

extension NetworkEndpoint.People {
  fileprivate var ids: [String] {
    if case .only(let ids) = self { ids } else { [] }
  }
}

extension HostCallers.Known {
  /// What a process may do that was made from this.
  init(_ worker: PlannedWorker, secret: [UInt8]) {
    self.init(
      secret: secret, requires: Set(worker.requires.map(\.name)),
      actsForUsers: worker.actsForUsers, programs: worker.programs)
  }
}

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

  private func launch(_ incarnation: Incarnation, revision: UInt64) throws(SystemError) {
    guard let worker = definitions[incarnation.worker]?[revision] else {
      throw SystemError("find worker \(incarnation.worker) in the plan", code: ENOENT)
    }
    try generations.use(incarnation.generation, of: worker.name)
    if generations.runsLow(worker.name) { reserveGenerations(for: worker.name) }
    try checkSecrecy(of: worker)
    let socket: String
    do throws(ManifestError) {
      socket = try settings.places.socket(
        worker: worker.name, generation: incarnation.generation)
    } catch {
      throw SystemError("\(error.message)", code: ENAMETOOLONG)
    }
    let address = "ipc://\(socket)"
    let sockets = settings.places.socketFolder(
      worker: worker.name, generation: incarnation.generation)
    try DurableFile.createPrivateFolder(sockets)
    try settings.workerAccount?.own(sockets)
    let state = try stateFolder(of: worker)
    let sealing = try state.isEmpty ? (keys: [], missingReason: "") : sealingKeys(of: worker.name)
    let stdout = try OutputSpool.create(spoolPath(of: incarnation, .stdout))
    let stderr = try OutputSpool.create(spoolPath(of: incarnation, .stderr))
    let launch = try Descriptor.pipe()
    let notice = try Descriptor.pipe()
    let group = try controlGroup(for: incarnation, worker)
    let countingGroup = try countingGroups?.make(
      "\(incarnation)", mostProcesses: worker.limits.mostProcesses)
    let child: WorkerProcess
    do throws(SystemError) {
      child = try WorkerProcess.spawn(
        WorkerProcess.Launch(
          executable: worker.executablePath,
          environment: settings.workerEnvironment(of: worker, state: state)
            + [marked(incarnation).entry],
          workingDirectory: state.isEmpty ? sockets : state,
          descriptors: [
            try Descriptor.open("/dev/null", O_RDONLY), stdout, stderr,
            launch.reading, notice.writing,
          ], openFiles: worker.limits.openFiles, dataBytes: dataBytes(of: worker),
          processes: processBound == .userNamespace ? worker.limits.mostProcesses : nil,
          controlGroup: try group?.door(), processGroup: try countingGroup?.door(),
          account: settings.workerAccount,
          confinement: Confinement(
            of: worker, state: state, sockets: sockets,
            runtime: settings.places.runtimeDirectory,
            remoteServices: settings.plan.remoteServices)))
    } catch {
      group?.remove()
      rmdir(sockets)
      countingGroup?.remove()
      throw error
    }
    let secret = IncarnationSecret()
    let record = ProcessRecords.Record(
      incarnation: incarnation, identity: child.identity, socket: socket, secret: secret.bytes,
      digest: worker.digest(in: settings.plan, account: settings.workerAccount),
      pluginDirectory: worker.pluginDirectory)
    do throws(SystemError) {
      try records.write(record)
      let orders = LaunchRecord(
        product: settings.plan.product, worker: worker.name, generation: incarnation.generation,
        secret: secret.bytes, address: address, pluginDirectory: worker.pluginDirectory,
        stateDirectory: state, logLevel: wishes.logLevels[worker.name]?.rawValue ?? "",
        pluginVersion: worker.pluginVersion,
        listen: worker.listen.map(NetworkListener.init), store: storeOrders(for: worker),
        virtualTime: wishes.virtualTime.map(VirtualTime.init), sealingKeys: sealing.keys,
        missingKeysReason: sealing.missingReason, passKey: secrets.passKey.publicBytes,
        actsForUsers: worker.actsForUsers, memoryLimitBytes: worker.limits.memoryBytes ?? 0)
      callers[incarnation] = HostCallers.Known(worker, secret: secret.bytes)
      try launch.writing.writeAll(try Self.encoded(orders), to: "the launch record")
      try notice.reading.setNonBlocking()
      let watch = try reactor.watch(child.pidfd) { [weak self] in
        self?.assumeIsolated { $0.childReported(incarnation) }
      }
      let noticeWatch = try reactor.watch(notice.reading) { [weak self] in
        self?.assumeIsolated { $0.noticeReported(incarnation, notice.reading) }
      }
      processes[incarnation] = RunningProcess(
        child: child, watch: watch, address: address, record: record,
        link: WorkerLink(
          incarnation: incarnation, product: settings.plan.product, worker: worker,
          address: address, secret: secret, identity: child.identity,
          relayPID: settings.relayPID),
        notice: (noticeWatch, []), group: group, countingGroup: countingGroup, turns: 0)
      logs.capture(incarnation)
      log("\(incarnation): started, pid \(child.identity.pid)")
    } catch {
      child.signalGroup(SIGKILL)
      child.reapWhenEnded()
      group?.end()
      countingGroup?.end()
      callers[incarnation] = nil
      records.remove(incarnation)
      throw error
    }
  }

  private func storeOrders(for worker: PlannedWorker) -> StoreOrders {
    var orders = StoreOrders(
      salvages: worker.store.whenDamaged == .salvage,
      keepEventsMs: worker.store.keepEvents.inMilliseconds,
      keepEventsBytes: Int64(clamping: worker.store.keepEventsBytes))
    do throws(SystemError) {
      let known = try storeRecords.known(of: worker.name)
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

  /// Refuses to start a worker that could read what proves operators and processes: a root beneath a folder that it may read.
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

  /// Has a host that follows know how far the process is. It would find that out too, if this cannot be written.
  func record(_ incarnation: Incarnation, as phase: ProcessRecords.Record.Phase) {
    guard var record = processes[incarnation]?.record, record.phase != phase else { return }
    record.phase = phase
    if phase == .serving, record.readySince == nil { record.readySince = WallClock.milliseconds }
    processes[incarnation]?.record = record
    if !isRootLost { try? records.write(record) }
  }

  private func marked(_ incarnation: Incarnation) -> MarkedProcesses {
    MarkedProcesses(incarnation, runtimeDirectory: settings.places.runtimeDirectory)
  }

  /// Reserves more generations on the thread that may wait for the disk. One that fails is made up for by the next use.
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
      try DurableFile.createPrivateFolder(folder, of: settings.workerAccount?.user)
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
    guard let process = processes[incarnation], let end = process.child.end() else { return }
    processes[incarnation] = nil
    reactor.ignore(process.watch)
    if let notice = process.notice { reactor.ignore(notice.watch) }
    // Its last words are in the pipes before anybody asks for them.
    logs.finish(incarnation)
    process.child.reap()
    // What it started ends with it, wherever that went; to find it takes too long for this thread.
    let marked = marked(incarnation)
    let ranOutOfMemory = process.group?.ranOutOfMemory
    logs.perform {
      process.group?.end()
      process.countingGroup?.end()
      marked.end(in: process.child.namespace)
    }
    MarkedProcesses.reapOrphans(
      besides: helpers.union(processes.values.map(\.child.identity.pid)))
    callers[incarnation] = nil
    if !isRootLost { records.remove(incarnation) }
    // One that is listened to is heard out first.
    if !watched.contains(incarnation) { chores.yield { process.link?.close() } }
    endedAtMilliseconds = endedAtMilliseconds.filter { $0.key.worker != incarnation.worker }
    endedAtMilliseconds[incarnation] = WallClock.milliseconds
    if process.record.phase == .starting, adopted[incarnation] != nil {
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
      // A process that is refused memory ends itself, and says why; its words are known on another thread.
      chores.yield {
        let isProven = await self.logs.saidOutOfMemory(incarnation)
        await self.post(.exited(incarnation, isProven ? .outOfMemory : end))
      }
    } else {
      post(.exited(incarnation, end))
    }
  }

  /// The notice pipe has something to say, or its other end was closed.
  private func noticeReported(_ incarnation: Incarnation, _ descriptor: Descriptor) {
    guard var notice = processes[incarnation]?.notice else { return }
    switch try? descriptor.read(atMost: 256) {
    case .wouldBlock?: return
    case .bytes(let bytes)?:
      notice.text += bytes
      processes[incarnation]?.notice = notice
      guard notice.text.contains(UInt8(ascii: "\n")) || notice.text.count > 256 else {
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
      actsForUsers: worker.actsForUsers)
  }
}

import Glibc
import KithManifest
import KithRPC
import KithSupervision
import KithTransportNng

/// The host's folders and sockets, which somebody may move or remove while it runs: logind removes the runtime folder when a
/// person logs out, and a person moves a root.
extension Host {
  /// How often the host looks.
  private static let lookInterval = Duration.seconds(1)

  /// Listens at the control socket, and looks from now on whether it is still there.
  func watchPlaces(_ server: RPCServer) {
    control = server
    controlSocket = FileIdentity(settings.places.controlSocket)
    lookAtPlaces()
  }

  private func lookAtPlaces() {
    guard successor == nil, !isRootLost else { return }
    if holdsRoot(), !isShuttingDown {
      bindAgain()
      replaceDeafWorkers()
    }
    reactor.setAlarm(for: logs, at: .now + Self.lookInterval) { [weak self] in
      self?.assumeIsolated { $0.lookAtPlaces() }
    }
  }

  /// Whether the root is still this host's. When it is not, nothing is written there any more, for it may be another host's by
  /// now, and the workers are ended.
  func holdsRoot() -> Bool {
    guard !isRootLost else { return false }
    switch lock.check() {
    case .held: return true
    case .renewed:
      log(
        "\(settings.places.lockFile) was removed or replaced while this host ran; it is there again",
        level: .warning)
      return true
    case .lost:
      isRootLost = true
      leave(
        because: HostFailure(
          .cannotCreate,
          "\(settings.places.stateDirectory) was moved or removed while this host ran: its workers are ended, "
            + "so that no second host works on the same state; put the folder back, or name where it is now, "
            + "and start the product again"))
      return false
    }
  }

  /// Ends the workers and the host, which cannot go on.
  private func leave(because failure: HostFailure) {
    guard self.failure == nil else { return }
    self.failure = failure
    if isShuttingDown {
      log(failure.description, level: .critical)
    } else {
      beginShutdown(because: failure.description)
    }
  }

  // MARK: Sockets

  /// Lets workers that run as an account of their own reach the control socket.
  func letWorkersConnect() throws(SystemError) {
    guard let account = settings.workerAccount else { return }
    try account.letThrough(settings.places.runtimeDirectory)
    try account.letConnect(to: settings.places.controlSocket)
  }

  /// Makes the control socket again when it is gone or another's: nobody could tell a host that listens nowhere to do anything.
  private func bindAgain() {
    let places = settings.places
    guard let control, controlSocket != FileIdentity(places.controlSocket) else { return }
    do throws(SystemError) {
      try DurableFile.createPrivateFolder(places.runtimeDirectory)
      try secrets.write(places)
    } catch {
      return leave(
        because: HostFailure(
          .cannotCreate,
          "\(places.runtimeDirectory) was removed while this host ran and cannot be made again: "
            + Self.advice(error, places)))
    }
    // Whoever holds the root's lock has this name, whatever stands there.
    unlink(places.controlSocket)
    do throws(RPCError) {
      try control.start(on: NngListener(address: places.controlAddress))
    } catch {
      return leave(
        because: HostFailure(
          .cannotCreate,
          "the control socket was removed while this host ran and cannot be opened again: \(error.message)"
        ))
    }
    do throws(SystemError) {
      try letWorkersConnect()
    } catch {
      log("workers cannot connect: \(error)", level: .error)
    }
    controlSocket = FileIdentity(places.controlSocket)
    log(
      "\(places.controlSocket) was removed or replaced while this host ran; it is there again",
      level: .warning)
    // What else the folder had: what a host that follows must know.
    logs.folderWasRenewed()
    for process in processes.values { try? records.write(process.record) }
    writeWishes()
    serveMetrics()
  }

  /// Has workers replaced whose sockets are gone: who is connected calls on, and nobody else can.
  private func replaceDeafWorkers() {
    deaf.formIntersection(processes.keys)
    var names: Set<String> = []
    for (incarnation, process) in processes
    where process.record.phase == .serving && !deaf.contains(incarnation)
      && published[incarnation.worker] == incarnation
      && FileIdentity(process.record.socket) == nil
    {
      deaf.insert(incarnation)
      names.insert(incarnation.worker)
    }
    guard !names.isEmpty else { return }
    for name in names.sorted() {
      log("\(name): its socket was removed; it is replaced", level: .warning)
    }
    post(.restartAsked(workers: names.sorted()))
  }
}

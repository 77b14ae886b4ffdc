import Glibc
import KithManifest
import KithRPC
import KithSupervision

/// The host's folders and sockets, which somebody may move or remove while it runs: logind removes
/// the runtime folder when a person logs out, and a person moves a root.
extension Host {
  /// How often the host looks.
  private static let lookInterval = Duration.seconds(1)

  /// Looks at them, now and from now on.
  func watchPlaces() {
    guard phase.successor == nil, !root.isLost else { return }
    if holdsRoot() {
      bindAgain()
      replaceUnreachableWorkers()
    }
    reactor.setAlarm(for: logs, at: .now + Self.lookInterval) { [weak self] in
      self?.assumeIsolated { $0.watchPlaces() }
    }
  }

  /// Whether the root is still this host's. When it is not, nothing is written there any more, for
  /// it may be another host's by now, and the workers are ended.
  func holdsRoot() -> Bool {
    let wasLost = root.isLost
    switch root.check() {
    case .held: return true
    case .renewed:
      log(
        "\(settings.places.lockFile) was removed or replaced while this host ran; it is there again",
        level: .warning)
      return true
    case .lost:
      guard !wasLost else { return false }
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
    switch phase {
    case .ending(var shutdown):
      guard shutdown.fail(failure) else { return }
      phase = .ending(shutdown)
      log(failure.description, level: .critical)
    case .prepared, .running: beginShutdown(because: failure.description, failure: failure)
    case .becoming: break
    }
  }

  // MARK: Sockets

  /// Lets workers that run as an account of their own reach the control socket.
  func letWorkersConnect() throws(SystemError) {
    guard let account = settings.workerAccount else { return }
    try account.letThrough(settings.places.runtimeDirectory)
    try account.letConnect(to: settings.places.controlSocket)
  }

  /// Makes the control socket again when it is gone or another's: nobody could tell a host that
  /// listens nowhere to do anything.
  private func bindAgain() {
    let places = settings.places
    guard case .running(var control) = phase, !control.isInPlace else { return }
    do throws(SystemError) {
      try DurableFile.createPrivateFolder(places.runtimeDirectory)
      try credentials.secrets.write(places)
    } catch {
      return leave(
        because: HostFailure(
          .cannotCreate,
          "\(places.runtimeDirectory) was removed while this host ran and cannot be made again: "
            + root.advice(error)))
    }
    do throws(RPCError) {
      try control.bindAgain()
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
    phase = .running(control)
    log(
      "\(places.controlSocket) was removed or replaced while this host ran; it is there again",
      level: .warning)
    // What else the folder had: what a host that follows must know.
    logs.folderWasRenewed()
    for process in workers.running { try? root.write(process.record) }
    writeDesired()
    serveMetrics()
  }

  /// Has workers replaced whose sockets are gone: who is connected calls on, and nobody else can.
  private func replaceUnreachableWorkers() {
    guard !phase.isEnding else { return }
    let processes = workers.all.compactMap(\.publishedProcess).filter {
      $0.record.phase == .serving && !$0.isUnreachable && FileIdentity($0.record.socket) == nil
    }
    let names = processes.map(\.incarnation.worker).sorted()
    for process in processes { workers.update(process.incarnation) { $0.isUnreachable = true } }
    guard !names.isEmpty else { return }
    for name in names { log("\(name): its socket was removed; it is replaced", level: .warning) }
    post(.restartAsked(workers: names))
  }
}

import CLinux
import Glibc
import HostContract
import KithManifest
import KithPlanning
import KithRPC
import KithSupervision

/// The life of a host, from its run to its end or its becoming another program.
extension Host {
  /// Serves the control service and runs the workers until a shutdown has been carried out. A host
  /// that is upgraded does not return: its process becomes the new program.
  ///
  /// `listening` is called once, when the control socket accepts connections.
  public func run(listening: @Sendable () -> Void) async throws(HostFailure) {
    guard case .prepared(let preparation, let shutdownReason) = phase else {
      throw HostFailure(.internal, "the host runs already")
    }
    // What a worker leaves behind becomes a child of the host, which sees to its end.
    _ = kith_linux_adopt_orphans()
    let control = try serveControl()
    phase = .running(control)
    logStart(preparation)
    listening()
    HostProgram.settle()
    if !HostProgram.failedUpgrade.isEmpty {
      log(
        "put back, since the new program did not start: \(HostProgram.failedUpgrade)", level: .error
      )
    }
    serviceManager?.send(.ready)
    pingWatchdog()
    serveMetrics()
    watchForAlerts()
    watchPlaces()
    adopt(preparation.adoption)
    post(.timePassed)
    if let shutdownReason { beginShutdown(because: shutdownReason) }
    await tasks.run()
    try await end(control)
  }

  private func serveControl() throws(HostFailure) -> ControlSocket {
    let account = settings.workerAccount
    let server = RPCServer(
      services: [.host(HostService(host: self))], limits: .connections(inPartOfOpenFiles: 0.5),
      // What the host is asked is small.
      budget: MessageBudget(maximumBytes: 16 << 20),
      authorize: { RPCServer.sameUser($0) || account != nil && $0.uid == account?.user },
      identify: { [callers = credentials.callers] method, metadata, _ throws(RPCError) in
        try callers.identify(method, metadata)
      })
    let control: ControlSocket
    do throws(RPCError) {
      control = try ControlSocket(server, at: settings.places)
    } catch {
      throw HostFailure(.cannotCreate, "the control socket cannot be opened: \(error.message)")
    }
    do throws(SystemError) {
      try letWorkersConnect()
    } catch {
      throw HostFailure(.cannotCreate, "\(error)")
    }
    return control
  }

  private func logStart(_ preparation: HostPhase.Preparation) {
    log("host \(HostVersion.current) runs \(settings.plan.product), pid \(getpid())")
    keepRunningManifest()
    if let damage = generations.damage { log(damage, level: .error) }
    if let damaged = preparation.damagedDesiredState {
      log(
        "what was asked for before is not known, since its file was damaged: all workers are wanted up; it is kept as \(damaged)",
        level: .error)
    }
    for degradation in degradations { log("degraded: \(degradation)", level: .warning) }
  }

  /// Begins to end everything; `run` returns when it is done. More calls change nothing.
  public func beginShutdown(because reason: String) {
    beginShutdown(because: reason, failure: nil)
  }

  /// As above.
  /// - Parameter failure: what the host ends with, though nobody asked for it.
  func beginShutdown(because reason: String, failure: HostFailure?) {
    switch phase {
    case .ending, .becoming: return
    case .prepared(let preparation, let earlierReason):
      phase = .prepared(preparation, shutdownReason: earlierReason ?? reason)
    case .running:
      log("shutting down: \(reason)")
      serviceManager?.send(.stopping)
      phase = .ending(HostPhase.Shutdown(ending: workers.running.count, because: failure))
      post(.shutDownAsked)
    }
  }

  /// Releases what the host holds, after its last task; becomes the next program if there is one.
  private func end(_ control: ControlSocket) async throws(HostFailure) {
    let successor = phase.successor
    // Who waits learns now that there is nothing more to come; the answers leave before the process
    // does.
    logs.releaseReaders()
    if root.isLost {
      control.abandon()
    } else {
      await control.close()
      if successor == nil { desired.remove() }
      // Not a failure if it cannot be written: the next host then goes on with higher numbers.
      try? generations.close()
    }
    if successor == nil { resources.remove() }
    log(successor.map { "becomes \($0.path)" } ?? "ended")
    await logs.flush(isLast: successor == nil)
    guard let successor else {
      if !root.isLost { HostSecrets.remove(settings.places) }
      if let failure = phase.shutdown?.failure { throw failure }
      return
    }
    let failure = successor.become(keeping: root.lock.number)
    HostProgram(path: "/proc/self/exe").comeBack(because: failure, keeping: root.lock.number)
    throw HostFailure(.internal, "\(failure)")
  }
}

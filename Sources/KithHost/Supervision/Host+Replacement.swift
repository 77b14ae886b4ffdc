import HostContract
import KithManifest
import KithPlanning
import KithRPC
import KithSupervision

/// Replacing processes, and counting what became of the calls meanwhile.
extension Host {
  /// Wants new processes of workers, as one action, and answers when they serve and the old ones
  /// have ended.
  func restart(
    _ request: RestartWorkersRequest, by peer: PeerIdentity
  ) async throws -> [Replacement] {
    var names = Set<String>()
    for name in request.names { names.insert(try plannedWorker(name, field: "names").name) }
    if request.all {
      names.formUnion(supervisor.snapshots.filter(\.isWanted).map(\.name))
    }
    guard !names.isEmpty else {
      throw RPCError.invalidArgument(field: "names", "no worker is named, and 'all' is not set")
    }
    if request.withDependents {
      for worker in settings.plan.workers
      where worker.dependencies.contains(where: { names.contains($0.name) }) {
        names.insert(worker.name)
      }
    }
    let ordered = supervisor.startOrder.filter(names.contains)
    return try await replace(ordered, .restartAsked(workers: ordered), as: "restart", by: peer)
  }

  /// Wants a worker to run from another folder, and answers when it does.
  func upgrade(
    _ request: UpgradeWorkerRequest, by peer: PeerIdentity
  ) async throws -> Replacement {
    let old = try plannedWorker(request.name, field: "name")
    let new: PlannedWorker
    do throws(ManifestErrors) {
      new = try settings.plannedWorker(old.name, from: request.directory)
    } catch {
      throw RPCError.invalidArgument(field: "directory", "\(error)")
    }
    guard new.plugin == old.plugin, Set(new.provides).isSuperset(of: old.provides),
      new.pluginDirectory == request.directory
    else {
      throw RPCError.invalidArgument(
        field: "directory",
        "\(request.directory) does not have the plugin \(old.plugin) with \(old.provides.joined(separator: ", "))"
      )
    }
    var specification = new.specification(lastGeneration: 0)
    specification.revision = workers.newRevision()
    workers[old.name].define(new, revision: specification.revision)
    return try await replace(
      [old.name], .replacementAsked(specification), as: "upgrade", by: peer)[0]
  }

  private func replace(
    _ names: [String], _ event: SupervisionEvent, as what: String, by peer: PeerIdentity
  ) async throws -> [Replacement] {
    try refuseDuringShutdown()
    try checkRoom(for: "\(names.joined(separator: ", ")) not restarted")
    var before: [(name: String, snapshot: WorkerSnapshot?, served: UInt64, tally: CallTally)] = []
    for name in names {
      let served = await callsServed(by: name)
      before.append((name, supervisor.snapshot(of: name), served, workers[name].calls))
    }
    note(what, of: names, by: peer) { post(event) }
    for (name, snapshot, _, _) in before {
      try await waitUntilReplaced(name, after: snapshot?.latestGeneration ?? 0)
    }
    var replacements: [Replacement] = []
    for (name, snapshot, served, tally) in before {
      let now = workers[name].calls
      let worker = try plannedWorker(name, field: "name")
      let hadProcess = snapshot.map { !$0.processes.isEmpty } ?? false
      replacements.append(
        Replacement(
          worker: await status(of: worker),
          fromGeneration: hadProcess ? snapshot?.generation ?? 0 : 0,
          // A process that was killed takes its count along: there are never fewer than none.
          callsServed: max(served, await callsServed(by: name)) - served,
          callersHeld: now.queued - tally.queued,
          callsFailed: now.cutShort - tally.cutShort))
    }
    return replacements
  }

  func waitUntilReplaced(_ name: String, after generation: UInt64) async throws {
    try await wait { host -> Result<Void, RPCError>? in
      guard let snapshot = host.supervisor.snapshot(of: name) else { return .success(()) }
      if let failed = snapshot.failedReplacement, failed.generation > generation {
        let now =
          snapshot.state == .ready
          ? "generation \(snapshot.generation) serves on" : "what served before is started again"
        return .failure(
          RPCError(
            .failedPrecondition,
            "the new process of \(name) did not become ready: \(failed.reason); \(now); "
              + "`kith logs \(name)` says more"))
      }
      if !snapshot.isWanted {
        return .failure(RPCError(.aborted, "\(name) was stopped before it was ready"))
      }
      if snapshot.generation > generation, snapshot.health.isReady {
        // The old process has ended and has said what became of its calls.
        let isOver =
          snapshot.processes.count == 1
          && !host.workers[name].listensToProcesses(before: snapshot.generation)
        return isOver ? .success(()) : nil
      }
      guard snapshot.isSettled, !snapshot.health.isReady else { return nil }
      return .failure(
        RPCError(
          .failedPrecondition,
          "\(name) did not become ready: \(snapshot.reason); `kith logs \(name)` says more"))
    }
  }

  /// How many calls of its own services a worker has ended since the host's start, asked of those
  /// processes that run.
  private func callsServed(by name: String) async -> UInt64 {
    var served: UInt64 = 0
    for process in workers[name].running {
      guard let report = await process.link?.check() else { continue }
      // It may have ended while it was asked; then its last report counts.
      if workers[process.incarnation] != nil { served += report.progress }
    }
    return served + workers[name].calls.ended
  }
}

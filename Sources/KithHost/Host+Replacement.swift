import HostContract
import KithManifest
import KithPlanning
import KithRPC
import KithSupervision

/// Replacing processes, and counting what became of the calls meanwhile.
extension Host {
  /// What is counted of a worker's calls since the host's start.
  struct CallTally {
    /// Calls that ended in processes that are gone.
    var endedBefore: UInt64 = 0
    /// Calls that a process had to cut short when its time to drain was over.
    var cutShort: UInt64 = 0
    /// Callers that were held until the worker was ready.
    var held: UInt32 = 0
  }

  /// Wants new processes of workers, as one action, and answers when they serve and the old ones have ended.
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
    latestRevision += 1
    definitions[old.name, default: [:]][latestRevision] = new
    var specification = new.specification(lastGeneration: 0)
    specification.revision = latestRevision
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
      before.append((name, supervisor.snapshot(of: name), served, tallies[name] ?? CallTally()))
    }
    note(what, of: names, by: peer) { post(event) }
    for (name, snapshot, _, _) in before {
      try await waitUntilReplaced(name, after: snapshot?.latestGeneration ?? 0)
    }
    var replacements: [Replacement] = []
    for (name, snapshot, served, tally) in before {
      let now = tallies[name] ?? CallTally()
      let worker = try plannedWorker(name, field: "name")
      let hadProcess = snapshot.map { !$0.processes.isEmpty } ?? false
      replacements.append(
        Replacement(
          worker: await status(of: worker),
          fromGeneration: hadProcess ? snapshot?.generation ?? 0 : 0,
          // A process that was killed takes its count along: there are never fewer than none.
          callsServed: max(served, await callsServed(by: name)) - served,
          callersHeld: now.held - tally.held,
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
          && !host.watched.contains { $0.worker == name && $0.generation < snapshot.generation }
        return isOver ? .success(()) : nil
      }
      guard snapshot.isSettled, !snapshot.health.isReady else { return nil }
      return .failure(
        RPCError(
          .failedPrecondition,
          "\(name) did not become ready: \(snapshot.reason); `kith logs \(name)` says more"))
    }
  }

  /// How many calls of its own services a worker has ended since the host's start, asked of those processes that run.
  private func callsServed(by name: String) async -> UInt64 {
    var served: UInt64 = 0
    for (incarnation, process) in processes where incarnation.worker == name {
      guard let report = await process.link?.check() else { continue }
      // It may have ended while it was asked; then its last report counts.
      if processes[incarnation] != nil { served += report.progress }
    }
    return served + (tallies[name]?.endedBefore ?? 0)
  }

  // MARK: Watching

  /// Listens to what a process says about itself for as long as it does.
  func watch(_ incarnation: Incarnation) {
    guard let link = processes[incarnation]?.link else { return }
    watched.insert(incarnation)
    chores.yield {
      let end = await link.watch { await self.heard($0, from: incarnation) }
      await self.watchEnded(of: incarnation, link, end)
    }
  }

  private func heard(_ response: HealthReportMessage, from incarnation: Incarnation) {
    let isFirst = reports.updateValue(response, forKey: incarnation) == nil
    if let store = response.store {
      write(storeRecords.report(store, of: incarnation.worker, at: now.sinceStart))
    }
    if isFirst { post(.stepCompleted(incarnation, .watch)) }
    post(.reported(incarnation, response.report))
  }

  /// Writes how far a worker's store has come, on the thread that may wait for the disk.
  private func write(_ writing: StoreRecords.Writing?) {
    guard let writing else { return }
    logs.perform {
      do throws(SystemError) {
        try writing.write()
      } catch {
        self.reactor.perform {
          self.assumeIsolated {
            $0.log("how far a store has come is not on the disk: \(error)", level: .error)
          }
        }
      }
    }
  }

  private func watchAgain(_ incarnation: Incarnation, _ link: WorkerLink) {
    if processes[incarnation] != nil {
      watch(incarnation)
    } else {
      // It ended in that moment: nobody is to wait for its last word.
      watchEnded(of: incarnation, link, .ended)
    }
  }

  private func watchEnded(of incarnation: Incarnation, _ link: WorkerLink, _ end: WatchEnd) {
    let isRunning = processes[incarnation] != nil
    if isRunning, reports[incarnation] == nil {
      watched.remove(incarnation)
      switch end {
      case .unsupported:
        post(.stepCompleted(incarnation, .watch))
        post(.unwatchable(incarnation))
      case .ended, .broken:
        post(
          .stepFailed(
            incarnation, .watch,
            StartFailure(reason: "it does not tell how it is", isDisconnection: true)))
      }
      return
    }
    if isRunning, end == .broken {
      // The line broke and the process did not: it is asked anew, after a moment in which its end may be noticed.
      chores.yield {
        try? await Task.sleep(for: .milliseconds(50))
        await self.watchAgain(incarnation, link)
      }
      return
    }
    watched.remove(incarnation)
    write(storeRecords.end(of: incarnation.worker, at: now.sinceStart))
    if let last = reports.removeValue(forKey: incarnation) {
      var tally = tallies[incarnation.worker] ?? CallTally()
      tally.endedBefore += last.progress
      if last.isDraining { tally.cutShort += UInt64(last.callsInProgress) }
      tallies[incarnation.worker] = tally
    }
    if !isRunning { link.close() }
    // Who waits for the last word has it.
    post(.timePassed)
  }
}

import HostContract
import KithManifest
import KithPlanning
import KithRPC
import KithSupervision

/// Taking over a changed manifest.
///
/// All that can be refused is refused before anything is changed: the manifests are read and
/// checked, logs opened, the change recorded, and workers asked to take over their new
/// configuration. A reload first asks the workers' programs, as `kith apply` has done before it
/// calls. Then the product is made of the new workers, in one step, and what is left is to
/// wait for them.
extension Host {
  /// Applies the manifest as it stands on disk now; what comes of it is in the log.
  public func reload(because reason: String) async {
    log("applying \(settings.source.product): \(reason)")
    do {
      let source = ProductSource(product: "", folders: [])
      if try await applyChanges(source, fingerprint: [], by: nil, asksPrograms: true).isEmpty {
        log("applied: nothing differs")
      }
    } catch {
      log("not applied: \((error as? RPCError)?.message ?? "\(error)")", level: .error)
    }
  }

  /// Carries out the changes that a manifest comes to and answers what became of each.
  ///
  /// - Parameters:
  ///   - fingerprint: that of the changes that were planned; empty for whatever they are now.
  ///   - asksPrograms: whether the workers' programs are first asked what they refuse of their
  ///     configuration.
  func applyChanges(
    _ source: ProductSource, fingerprint planned: [UInt8], by peer: PeerIdentity?,
    asksPrograms: Bool = false
  ) async throws -> [ChangeOutcome] {
    try refuseDuringShutdown()
    guard operations.begin(.applyManifest) else {
      throw RPCError(.aborted, "nothing was changed: another manifest is being applied; plan again")
    }
    let changes: PlannedChanges
    var generations: [String: UInt64] = [:]
    do {
      defer { operations.end(.applyManifest) }
      let source = completed(source)
      let plan = try await read(source)
      if asksPrograms { try await checkConfiguration(of: plan) }
      changes = self.changes(to: plan)
      guard planned.isEmpty || planned == fingerprints.of(changes) else {
        throw RPCError(
          .aborted,
          "nothing was changed: the product or its manifests have changed since this was planned; plan again"
        )
      }
      try await prepare(changes, plan, source)
      for snapshot in supervisor.snapshots {
        generations[snapshot.name] = snapshot.latestGeneration
      }
      takeOver(changes, plan, source)
    }
    for line in changes.changes.flatMap(\.lines) { log("applying: \(line)") }
    if let peer {
      note("apply", of: changes.changes.map(\.worker).filter { !$0.isEmpty }, by: peer)
    }
    var outcomes: [ChangeOutcome] = []
    for change in changes.changes {
      let (succeeded, outcome) = try await self.outcome(
        of: change, after: generations[change.worker] ?? 0)
      log("applied: \(change.subject): \(outcome)", level: succeeded ? .notice : .error)
      outcomes.append(
        ChangeOutcome(
          change: HostContract.PlannedChange(change), succeeded: succeeded, outcome: outcome))
    }
    return outcomes
  }

  // MARK: Before anything is changed

  /// Asks the programs of the workers that a plan changes whether they take their configuration, on
  /// a thread of its own.
  ///
  /// - Throws: INVALID_ARGUMENT with what they refuse.
  private func checkConfiguration(of plan: Plan) async throws {
    let changed = Set(changes(to: plan).changes.map(\.worker))
    guard plan.workers.contains(where: { changed.contains($0.name) }) else { return }
    var trial = settings
    trial.plan = plan
    let thread: Reactor
    do throws(SystemError) {
      thread = try Reactor(name: "kith-check")
    } catch {
      throw RPCError(.resourceExhausted, "nothing was changed: \(error)")
    }
    defer { thread.stop() }
    let waiter = Waiter<[ConfigurationVerdict]>()
    thread.perform { [trial] in
      waiter.finish(.success(ConfigurationTrials.verdicts(of: trial, only: changed)))
    }
    let verdicts = try await waiter.value()
    for note in plan.notes(on: verdicts) { log(note, level: .warning) }
    if let refused = ManifestErrors(plan.errors(of: verdicts)) {
      throw RPCError(.invalidArgument, "nothing was changed: \(refused)")
    }
  }

  private func prepare(
    _ changes: PlannedChanges, _ plan: Plan, _ source: ProductSource
  ) async throws {
    do throws(SystemError) {
      try root.records.checkRoom()
      for worker in plan.workers {
        try await logs.open(
          logOf: worker.name, at: settings.places.logFile(worker: worker.name))
      }
      try record(source, plan)
    } catch {
      throw RPCError(
        .resourceExhausted, "nothing was changed, since the change could not be recorded: \(error)")
    }
    do {
      try await reconfigure(changes, plan)
    } catch {
      do throws(SystemError) {
        try record(settings.source, settings.plan)
      } catch {
        log(
          "\(settings.places.runningManifestFile) still says that \(source.product) is to run: \(error)",
          level: .error)
      }
      throw error
    }
  }

  /// Has the next host run this.
  private func record(_ source: ProductSource, _ plan: Plan) throws(SystemError) {
    try RunningManifest(
      startedWith: settings.startedWith, source: source, manifests: plan.manifests
    ).write(at: settings.places)
  }

  /// Has the next host run what this one does.
  func keepRunningManifest() {
    if settings.source != settings.startedWith {
      log("runs \(settings.source.product), which was applied last")
    }
    do throws(SystemError) {
      try record(settings.source, settings.plan)
    } catch {
      log(
        "should the host be killed and a manifest be wrong then, no host can lead the workers: \(error)",
        level: .error)
    }
  }

  /// Has workers take over their new configuration; when one does not, those before it get their
  /// old one back.
  private func reconfigure(_ changes: PlannedChanges, _ plan: Plan) async throws {
    var done: [(link: WorkerLink, before: PlannedWorker)] = []
    let address = settings.places.controlAddress
    do {
      for change in changes.changes where change.kind == .reconfigure {
        guard let worker = plan.worker(named: change.worker),
          let before = definition(of: change.worker),
          let link = mainProcess(of: change.worker)?.link
        else { throw Self.endedMeanwhile(change.worker) }
        done.append((link, before))
        do throws(RPCError) {
          try await link.reconfigure(worker.configurationText, hostAddress: address)
        } catch {
          throw error.code == .unavailable
            ? Self.endedMeanwhile(change.worker)
            : RPCError(
              .invalidArgument,
              "nothing was changed: \(change.worker) refused its new configuration: \(error.message)"
            )
        }
      }
      // The same processes must still be there, and nobody must have asked for anything else.
      guard self.changes(to: plan).essence == changes.essence,
        done.allSatisfy({ taken in workers.running.contains { $0.link === taken.link } })
      else {
        throw RPCError(
          .aborted, "nothing was changed: the product changed in this very moment; plan again")
      }
      try refuseDuringShutdown()
    } catch {
      for (link, before) in done {
        try? await link.reconfigure(before.configurationText, hostAddress: address)
      }
      throw error
    }
  }

  private static func endedMeanwhile(_ name: String) -> RPCError {
    RPCError(.aborted, "nothing was changed: \(name) ended meanwhile; plan again")
  }

  // MARK: The change

  /// Makes the product of other workers, in one step.
  private func takeOver(_ changes: PlannedChanges, _ plan: Plan, _ source: ProductSource) {
    let kinds = Dictionary(
      uniqueKeysWithValues: changes.changes.map { ($0.worker, $0.kind) })
    let newRevision = workers.newRevision()
    let specifications = plan.workers.map { worker in
      var specification = worker.specification(lastGeneration: generations[worker.name])
      let snapshot = supervisor.snapshot(of: worker.name)
      switch kinds[worker.name] {
      case .start?, .restart?, .stop?: specification.revision = newRevision
      case .reconfigure?, .adjust?, nil:
        specification.revision = snapshot.map { $0.revision ?? $0.specifiedRevision } ?? 0
      }
      workers[worker.name].define(worker, revision: specification.revision)
      return specification
    }
    let graph: WorkerGraph
    do throws(WorkerGraph.Flaw) {
      graph = try WorkerGraph(specifications)
    } catch {
      // The plan has checked names and cycles.
      preconditionFailure("the plan cannot be supervised: \(error)")
    }
    let before = settings.plan
    settings.plan = plan
    settings.source = source
    settings.manifestTrouble = nil
    post(.specified(graph))
    for worker in plan.workers { recordDefinition(of: worker, kinds[worker.name]) }
    let names = plan.workers.map(\.name)
    workers.forget(besides: supervisor.snapshots.map(\.name))
    if before.metrics != plan.metrics { serveMetrics() }
    if before.alerts != plan.alerts || before.workers.map(\.name) != names {
      alerts.replaceRules(by: plan)
      watchForAlerts()
    }
  }

  /// Has the next host know the process of a worker as one of its new definition, unless it gets
  /// another process.
  private func recordDefinition(of worker: PlannedWorker, _ kind: KithPlanning.PlannedChange.Kind?)
  {
    switch kind {
    case .start?, .restart?, .stop?: return
    case .reconfigure?, .adjust?, nil: break
    }
    guard let incarnation = workers[worker.name].publishedIncarnation,
      var record = workers[incarnation]?.record
    else { return }
    let digest = worker.digest(in: settings.plan, account: settings.workerAccount)
    guard record.digest != digest else { return }
    record.digest = digest
    workers.update(incarnation) { $0.record = record }
    do throws(SystemError) {
      try root.write(record)
    } catch {
      log("should the host be killed, \(incarnation) is replaced: \(error)", level: .error)
    }
  }

  // MARK: What became of it

  private func outcome(
    of change: KithPlanning.PlannedChange, after generation: UInt64
  ) async throws -> (succeeded: Bool, outcome: String) {
    let name = change.worker
    switch change.kind {
    case .adjust:
      // That of a worker has nothing to do with where metrics are.
      let trouble = name.isEmpty ? metricsServing.troubles.first : nil
      return trouble.map { (false, $0) } ?? (true, "in force")
    case .reconfigure: return (true, "took over its new configuration")
    case .stop:
      try await wait { host -> Result<Void, RPCError>? in
        host.supervisor.snapshot(of: name) == nil || host.settings.plan.worker(named: name) != nil
          ? .success(()) : nil
      }
      return (true, "ended")
    case .start, .restart:
      do {
        try await waitUntilReplaced(name, after: generation)
      } catch let error as RPCError {
        return (false, error.message)
      }
      let ready = supervisor.snapshot(of: name)?.generation ?? 0
      return (true, "ready as generation \(ready)")
    }
  }
}

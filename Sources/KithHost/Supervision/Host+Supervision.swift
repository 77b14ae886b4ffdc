import Glibc
import HostContract
import KithManifest
import KithPlanning
import KithSupervision

/// Events and actions: what the supervisor is told, and what it has the host do.
extension Host {
  /// Tells the supervisor what happened and does what it says.
  func post(_ event: SupervisionEvent) {
    if case .becoming = phase { return }
    guard events.add(event) else { return }
    var changed = false
    while let event = events.next() {
      let before = event.snapshotIfReport(in: supervisor)
      let actions = supervisor.handle(event, at: clock.now)
      for action in actions { carryOut(action) }
      changed =
        changed || before == nil || !actions.isEmpty
        || event.snapshotIfReport(in: supervisor) != before
    }
    if changed { publishChanges() }
    reactor.setAlarm(for: self, at: supervisor.nextDeadline.map(clock.instant)) { [weak self] in
      self?.assumeIsolated { $0.post(.timePassed) }
    }
    if supervisor.isShutDown { tasks.finish() }
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
    case .perform(.watch, let incarnation): listen(to: incarnation)
    case .perform(let step, let incarnation):
      guard let link = workers[incarnation]?.link else { return }
      let address = settings.places.controlAddress
      tasks.add {
        let failure = await link.perform(step, hostAddress: address)
        await self.stepEnded(step, of: incarnation, failure)
      }
    case .publish(let incarnation):
      record(incarnation, as: .serving)
      workers[incarnation.worker].publish(incarnation.generation)
      repeatLogLevel(to: incarnation)
      repeatTime(to: incarnation)
    case .withdraw(let incarnation):
      workers[incarnation.worker].withdraw(incarnation.generation)
    case .drain(let incarnation, let grace):
      record(incarnation, as: .ending)
      guard let link = workers[incarnation]?.link else { return }
      let isReplaced = workers[incarnation.worker].published != nil
      tasks.add {
        if await !link.drain(grace: grace, isReplaced: isReplaced) {
          await self.post(.drainFailed(incarnation))
        }
      }
    case .terminate(let incarnation):
      record(incarnation, as: .ending)
      workers[incarnation]?.child.signal(SIGTERM)
    case .kill(let incarnation):
      record(incarnation, as: .ending)
      guard workers.update(incarnation, { $0.kill() }) != nil else { return }
      if case .ending(var shutdown) = phase {
        shutdown.killed()
        phase = .ending(shutdown)
      }
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
      if step == .adopt { tasks.add { await self.handOverKeys(toAdopted: incarnation) } }
    }
  }

  // MARK: What changed

  /// Tells all who want to know that something is otherwise than it was.
  private func publishChanges() {
    for snapshot in supervisor.snapshots {
      workers[snapshot.name].note(
        snapshot, stoppedAt: desired.state.exits[snapshot.name]?.atMs)
    }
    if !phase.isEnding { keepStates() }
    serviceManager?.send(status: statusInWords)
    waits.check(self)
  }

  /// Has the next host know which workers are stopped, and how processes ended.
  private func keepStates() {
    let snapshots = supervisor.snapshots
    changeDesired { desired in
      desired.stopped = Set(snapshots.filter { !$0.isWanted }.map(\.name))
      for snapshot in snapshots {
        guard let exit = snapshot.lastExit else { continue }
        let end = workers[snapshot.name].end(of: exit.generation)
        desired.exits[snapshot.name] = WorkerExit(
          exit, at: end ?? desired.exits[snapshot.name]?.atMs ?? 0)
      }
    }
  }

  /// Changes what was asked for, and writes it for the next host.
  func changeDesired(_ change: (inout DesiredState) -> Void) {
    if desired.change(change) { writeDesired() }
  }

  /// Writes what was asked for, again and again until that is possible: the next host obeys the
  /// file as it is.
  func writeDesired() {
    guard !root.isLost, !phase.isEnding || desired.trouble == nil else { return }
    let before = desired.trouble
    desired.write()
    guard let trouble = desired.trouble else { return }
    if trouble != before { log(trouble, level: .error) }
    reactor.setAlarm(for: root.lock, at: .now + .seconds(1)) { [weak self] in
      self?.assumeIsolated { $0.writeDesired() }
    }
  }

  // MARK: What is known

  /// What a worker is made from: its process, or without one its next.
  func definition(of name: String) -> PlannedWorker? {
    supervisor.snapshot(of: name).flatMap {
      workers[name].definition($0.revision ?? $0.specifiedRevision)
    }
  }

  /// What this machine and this product lack, for people.
  var degradations: [String] {
    let isSealing = settings.plan.posture != .ephemeral && !workers.running.isEmpty
    let manifest = settings.manifestTrouble.map {
      "what runs is as the manifest was, since as it stands it is wrong: \($0); mend it and `kith apply`"
    }
    return [desired.trouble, keys.degradation(isInUse: isSealing)].compactMap(\.self)
      + metricsServing.troubles + paging.troubles + [manifest].compactMap(\.self)
      + resources.degradations(of: settings.plan, account: settings.workerAccount)
  }
}

extension SupervisionEvent {
  /// How the worker is that this reports of; nil for any other event. Reports come all the time,
  /// and mostly change nothing.
  fileprivate func snapshotIfReport(in supervisor: Supervisor) -> WorkerSnapshot? {
    guard case .reported(let incarnation, _) = self,
      var snapshot = supervisor.snapshot(of: incarnation.worker)
    else { return nil }
    // That it gets on is no news.
    snapshot.health.progress = nil
    return snapshot
  }
}

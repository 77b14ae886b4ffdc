import Glibc
import KithManifest
import KithPlanning
import KithSupervision

/// Taking over the processes of an earlier host, which was killed or has become this one.
extension Host {
  /// The definition that a process of an earlier host was started from, and its revision.
  struct Adopted {
    var revision: UInt64
    var worker: PlannedWorker
  }

  /// Tells the definitions of what was found: the plan's, or that of the folder to which a worker was upgraded. A process of
  /// neither has a revision that nothing else has, so that it is replaced.
  static func definitions(
    of earlier: EarlierProcesses, settings: HostSettings
  ) -> [Incarnation: Adopted] {
    var definitions: [Incarnation: Adopted] = [:]
    var revision: UInt64 = 0
    for record in earlier.running.map(\.record) + earlier.ended {
      guard let planned = settings.plan.worker(named: record.incarnation.worker) else { continue }
      if planned.digest(in: settings.plan, account: settings.workerAccount) == record.digest {
        definitions[record.incarnation] = Adopted(revision: 0, worker: planned)
        continue
      }
      revision += 1
      var adopted = Adopted(revision: revision, worker: planned)
      if record.phase == .serving, record.pluginDirectory != planned.pluginDirectory,
        let upgraded = try? settings.plannedWorker(planned.name, from: record.pluginDirectory),
        upgraded.digest(in: settings.plan, account: settings.workerAccount) == record.digest
      {
        adopted.worker = upgraded
      }
      definitions[record.incarnation] = adopted
    }
    return definitions
  }

  /// Leads what an earlier host left: before anything is started.
  func adopt() {
    guard let earlier else { return }
    self.earlier = nil
    for file in earlier.damaged {
      log(
        "\(file) does not tell of a process as the host wrote it: if that ran, it was ended, and its worker is started anew",
        level: .error)
    }
    for incarnation in earlier.spooled { logs.resume(incarnation) }
    let running = Set(earlier.running.map(\.record.incarnation))
    for incarnation in earlier.spooled.subtracting(running) { logs.finish(incarnation) }
    var found: [Incarnation: UInt64] = [:]
    for (record, process) in earlier.running {
      let incarnation = record.incarnation
      do throws(SystemError) {
        try lead(record, process)
        found[incarnation] = adopted[incarnation]?.revision ?? .max
        log("\(incarnation): found running, pid \(process.identity.pid)")
      } catch {
        // What cannot be watched must not live.
        log("\(incarnation): cannot be led: \(error)", level: .error)
        process.signal(SIGKILL)
        process.signalGroup(SIGKILL)
      }
    }
    let deaths = earlier.ended.filter { record in
      record.phase == .serving && settings.plan.worker(named: record.incarnation.worker) != nil
        && !running.contains { $0.worker == record.incarnation.worker }
    }
    for record in deaths { found[record.incarnation] = adopted[record.incarnation]?.revision ?? 0 }
    guard !found.isEmpty else { return }
    post(.found(found))
    for record in earlier.running.map(\.record) where record.phase == .ending {
      let failure = StartFailure(reason: "it was being ended")
      post(.stepFailed(record.incarnation, .adopt, failure))
    }
    for record in deaths {
      endedAtMilliseconds[record.incarnation] = WallClock.milliseconds
      post(.exited(record.incarnation, .unknown))
    }
  }

  private func lead(
    _ record: ProcessRecords.Record, _ process: WorkerProcess
  ) throws(SystemError) {
    let incarnation = record.incarnation
    let watch = try reactor.watch(process.pidfd) { [weak self] in
      self?.assumeIsolated { $0.childReported(incarnation) }
    }
    let address = "ipc://\(record.socket)"
    callers[incarnation] = adopted[incarnation].map {
      HostCallers.Known($0.worker, secret: record.secret)
    }
    processes[incarnation] = RunningProcess(
      child: process, watch: watch, address: address, record: record,
      link: adopted[incarnation].map {
        WorkerLink(
          incarnation: incarnation, product: settings.plan.product, worker: $0.worker,
          address: address, secret: IncarnationSecret(record.secret), identity: record.identity,
          relayPID: settings.relayPID)
      }, notice: nil,
      group: try? controlGroups.get().group(of: process.identity.pid, named: "\(incarnation)"),
      countingGroup: CountingGroups.group(of: process.identity.pid, named: "\(incarnation)"),
      // Whoever ends a process has recorded it before.
      wasKilled: record.phase == .ending, adoptedAt: WallClock.milliseconds)
  }
}

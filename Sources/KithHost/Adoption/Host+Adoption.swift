import Glibc
import KithManifest
import KithPlanning
import KithSupervision

/// Adopting the processes of an earlier host, which was killed or has become this one.
extension Host {
  /// Leads what an earlier host left: before anything is started.
  func adopt(_ adoption: Adoption) {
    let earlier = adoption.earlier
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
        let definition = adoption.definitions[incarnation]
        try lead(record, process, madeFrom: definition?.worker)
        found[incarnation] = definition?.revision ?? .max
        log("\(incarnation): found running, pid \(process.identity.pid)")
      } catch {
        // What cannot be watched must not live.
        log("\(incarnation): cannot be led: \(error)", level: .error)
        process.signal(SIGKILL)
        process.signalGroup(SIGKILL)
      }
    }
    let deaths = adoption.deaths(in: settings.plan)
    for record in deaths {
      found[record.incarnation] = adoption.definitions[record.incarnation]?.revision ?? 0
    }
    guard !found.isEmpty else { return }
    post(.found(found))
    for record in earlier.running.map(\.record) where record.phase == .ending {
      let failure = StartFailure(reason: "it was being ended")
      post(.stepFailed(record.incarnation, .adopt, failure))
    }
    for record in deaths {
      let incarnation = record.incarnation
      _ = workers[incarnation.worker].end(incarnation.generation, at: WallClock.milliseconds)
      post(.exited(incarnation, .unknown))
    }
  }

  private func lead(
    _ record: ProcessRecords.Record, _ child: WorkerProcess, madeFrom worker: PlannedWorker?
  ) throws(SystemError) {
    let incarnation = record.incarnation
    credentials.callers[incarnation] = worker.map { HostCallers.Known($0, secret: record.secret) }
    var process = RunningProcess(
      child, .earlierHost(adoptedAtMilliseconds: WallClock.milliseconds), record: record,
      link: worker.map { link(to: record, of: $0) },
      groups: resources.groups(of: child.identity.pid, incarnation),
      exitWatch: try watchEnd(of: child, incarnation))
    // Whoever ends a process has recorded it before.
    process.wasKilled = record.phase == .ending
    workers[incarnation.worker].add(process)
  }
}

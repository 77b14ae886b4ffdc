import KithManifest

/// What can be seen.
extension Supervisor {
  /// When `timePassed` must be sent next; nil when nothing waits for time.
  public var nextDeadline: Moment? {
    records.values.compactMap(\.deadline).min()
  }

  /// Whether a shutdown was asked for and no process is left.
  public var isShutDown: Bool {
    isShuttingDown && records.values.allSatisfy { !$0.hasProcess }
  }

  /// Whether every worker that is wanted up is ready or will not be without somebody's help.
  public var isSettled: Bool {
    records.keys.allSatisfy(isSettled)
  }

  /// All workers as they are now, in start order; at the end those that are no longer part of the
  /// product and still have a process.
  public var snapshots: [WorkerSnapshot] { allNames.compactMap(snapshot) }

  /// A worker as it is now; nil when there is none of this name.
  public func snapshot(of name: String) -> WorkerSnapshot? {
    guard let record = records[name] else { return nil }
    let serving = record.main?.serving
    var snapshot = WorkerSnapshot(
      name: name, state: state(of: record), isWanted: record.isWanted,
      generation: record.main?.generation ?? record.generation,
      latestGeneration: record.generation, processes: record.processes.map(record.incarnation),
      revision: record.main?.revision, specifiedRevision: record.specification.revision, step: nil,
      health: WorkerSnapshot.Health(
        isStarted: record.main?.isStarted == true, isReady: serving != nil,
        isLive: serving?.watch.isLive == true, progress: serving?.watch.progress,
        degradation: serving?.degradation ?? ""),
      nextStart: nil, restarts: record.restarts, lastExit: record.lastExit,
      failedReplacement: record.failedReplacement, reason: reason(for: record),
      isSettled: isSettled(name))
    if case .starting(let step, _) = record.main?.phase { snapshot.step = step }
    switch record.hold {
    case .backoff(let until): snapshot.nextStart = until
    case .quarantine(let until, _): snapshot.nextStart = until
    case .none, .finished: break
    }
    return snapshot
  }

  private func state(of record: WorkerRecord) -> WorkerSnapshot.State {
    switch record.main?.phase {
    case .starting: return .starting
    case .serving: return record.published == nil ? .held : .ready
    case .ending: return .draining
    case nil:
      guard record.isWanted else { return record.hasProcess ? .draining : .stopped }
      switch record.hold {
      case .none: return .waiting
      case .backoff: return .backingOff
      case .quarantine: return .quarantined
      case .finished: return .finished
      }
    }
  }

  func isSettled(_ name: String) -> Bool {
    guard let record = records[name] else { return true }
    switch state(of: record) {
    case .ready: return !record.isBeingReplaced
    case .quarantined, .finished, .stopped: return true
    case .starting, .draining, .backingOff: return false
    case .waiting, .held:
      // Settled for as long as what it waits for will not come by itself. Requirements have no
      // cycles, so this ends.
      return record.specification.requires.contains { !isMet($0) && isSettled($0.name) }
    }
  }

  // MARK: Reasons

  private func reason(for record: WorkerRecord) -> String {
    switch record.main?.phase {
    case .starting(let step, _): return step.pending
    case .ending(let ending): return ending.purpose.forPeople
    case .serving(let serving): return reason(for: record, serving)
    case nil:
      guard record.isWanted else { return "" }
      switch record.hold {
      case .none: return waitReason(for: record)
      case .backoff:
        return "\(record.lastExit?.description ?? "ended"); \(budgetUse(of: record))"
      case .quarantine(_, let reason): return reason
      case .finished: return record.lastExit?.description ?? ""
      }
    }
  }

  private func reason(for record: WorkerRecord, _ serving: ProcessRecord.Serving) -> String {
    var reasons: [String] = []
    if record.published == nil { reasons.append("callers are held: \(waitReason(for: record))") }
    if !serving.degradation.isEmpty { reasons.append("degraded: \(serving.degradation)") }
    if !serving.watch.isLive, let half = serving.watch.half {
      reasons.append("has shown no progress for \(half.forPeople) or more")
    }
    if let successor = record.successor {
      let what =
        switch successor.phase {
        case .starting(let step, _): step.pending
        case .serving: "it is about to take over"
        case .ending(let ending): ending.purpose.forPeople
        }
      reasons.append("generation \(successor.generation) is to take over: \(what)")
    } else if record.replacementWanted {
      let missing = firstMissing(to: record).map { ": waits for \($0)" } ?? ""
      reasons.append("is to be replaced\(missing)")
    }
    return reasons.joined(separator: "; ")
  }

  private func budgetUse(of record: WorkerRecord) -> String {
    // As it was when the restart was granted: nothing of it may have lapsed since.
    let used = record.budgetUse?.used ?? 0
    let budget = record.budgetUse?.rule.budget ?? record.specification.restart.budget
    return
      "restart \(min(used + 1, budget.intensity)) of \(budget.intensity) allowed within \(budget.period.forPeople)"
  }

  private func waitReason(for record: WorkerRecord) -> String {
    var waits = record.specification.requires.filter { !isMet($0) }.map { requirement in
      let name = requirement.name
      switch records[name].map(state) {
      case .stopped: return "waits for \(name), which is stopped"
      case .quarantined: return "waits for \(name), which is in quarantine"
      case .finished: return "waits for \(name), which has finished"
      case .ready: return "waits for \(name), which shows no progress"
      default: return "waits for \(name)"
      }
    }
    waits += record.awaits.sorted().filter { records[$0]?.isBeingReplaced == true }
      .map { "waits until \($0) is replaced" }
    if record.main == nil, record.predecessor != nil, waits.isEmpty {
      waits.append("waits until its earlier process has ended")
    }
    return waits.joined(separator: "; ")
  }
}

import KithManifest

/// What processes do, and what is done to them.
extension Supervisor {
  // MARK: Events

  mutating func found(_ revisions: [Incarnation: UInt64], at now: Moment) {
    // In a fixed order, lest the actions be in another.
    for (incarnation, revision) in revisions.sorted(by: {
      ($0.key.worker, $0.key.generation) < ($1.key.worker, $1.key.generation)
    }) {
      found(incarnation, revision, at: now)
    }
  }

  private mutating func found(_ incarnation: Incarnation, _ revision: UInt64, at now: Moment) {
    let name = incarnation.worker
    if records[name] == nil {
      // No longer part of the product: led to its end, and forgotten then.
      var record = WorkerRecord(WorkerSpecification(name: name, wanted: false))
      record.isRetired = true
      records[name] = record
    }
    update(name) { supervisor, record in
      let process = ProcessRecord(
        generation: incarnation.generation, revision: revision,
        phase: .starting(.adopt, deadline: now + record.specification.limits.adoption),
        isAdopted: true)
      guard record.slot(of: process.generation) == nil, record.predecessor == nil,
        record.successor == nil
      else { return }
      // Of two the later one was to take over, or has: it does when it turns out to be ready.
      record[record.main == nil ? .main : .successor] = process
      record.generation = max(record.generation, process.generation)
      supervisor.actions.append(.perform(.adopt, incarnation))
      if !record.isWanted { record.pendingEnd = .stop }
    }
  }

  mutating func completed(_ step: StartStep, of incarnation: Incarnation, at now: Moment) {
    update(incarnation) { supervisor, record, slot, process in
      switch process.phase {
      case .starting(let current, let deadline) where current == step:
        if let next = step.next {
          record[slot]?.phase = .starting(next, deadline: deadline)
          if next != .listen { supervisor.actions.append(.perform(next, incarnation)) }
        } else {
          supervisor.becameReady(&record, slot, at: now)
        }
      case .ending(var ending) where ending.stage == .unborn && step == .spawn:
        ending.stage = .terminating
        ending.deadline = now + record.specification.limits.terminate
        record[slot]?.phase = .ending(ending)
        supervisor.actions.append(.terminate(incarnation))
      default: break
      }
    }
  }

  mutating func failed(
    _ step: StartStep, of incarnation: Incarnation, _ failure: StartFailure, at now: Moment
  ) {
    update(incarnation) { supervisor, record, slot, process in
      switch process.phase {
      case .starting(let current, _) where current == step:
        if step == .spawn {
          supervisor.ended(&record, slot, .notCreated, purpose: .failure(failure), at: now)
        } else if process.isAdopted {
          supervisor.beginEnding(.notAdopted(failure.reason), of: &record, slot, at: now)
        } else {
          supervisor.beginEnding(.failure(failure), of: &record, slot, at: now)
        }
      case .ending(let ending) where ending.stage == .unborn && step == .spawn:
        supervisor.ended(&record, slot, .notCreated, purpose: ending.purpose, at: now)
      default: break
      }
    }
  }

  mutating func reported(_ report: HealthReport, by incarnation: Incarnation, at now: Moment) {
    update(incarnation) { supervisor, record, slot, process in
      guard var serving = process.serving else { return }
      serving.watch.heard(report, at: now)
      if serving.degradation != report.degradation {
        serving.degradation = report.degradation
        supervisor.note(
          report.degradation.isEmpty ? "whole again" : "degraded: \(report.degradation)",
          about: record, process.generation)
      }
      record[slot]?.phase = .serving(serving)
    }
  }

  mutating func stopWatching(_ incarnation: Incarnation) {
    update(incarnation) { _, record, slot, process in
      guard var serving = process.serving else { return }
      serving.watch.stop()
      record[slot]?.phase = .serving(serving)
    }
  }

  mutating func drainFailed(_ incarnation: Incarnation, at now: Moment) {
    update(incarnation) { supervisor, record, slot, process in
      if let ending = process.ending, ending.stage == .draining {
        supervisor.advance(ending, of: &record, slot, at: now)
      }
    }
  }

  mutating func exited(_ incarnation: Incarnation, _ end: ProcessEnd, at now: Moment) {
    update(incarnation) { supervisor, record, slot, process in
      supervisor.ended(&record, slot, end, purpose: process.ending?.purpose, at: now)
    }
  }

  /// Acts on a worker's deadlines when they have come.
  mutating func passTime(for name: String, at now: Moment) {
    guard let deadline = records[name]?.deadline, deadline <= now else { return }
    update(name) { supervisor, record in
      for slot in WorkerRecord.Slot.allCases {
        guard let process = record[slot], let deadline = process.deadline, deadline <= now else {
          continue
        }
        switch process.phase {
        case .starting(let step, _):
          let limits = record.specification.limits
          let late = "not ready within \(limits.start.forPeople): \(step.pending)"
          let purpose: EndPurpose =
            process.isAdopted
            ? .stuck(limits.adoption) : .failure(StartFailure(reason: late))
          supervisor.beginEnding(purpose, of: &record, slot, at: now)
        case .serving(var serving):
          let isStuck = serving.watch.look(at: now)
          let watchdog = (serving.watch.half ?? .zero) * 2
          record[slot]?.phase = .serving(serving)
          if isStuck { supervisor.beginEnding(.stuck(watchdog), of: &record, slot, at: now) }
        case .ending(let ending): supervisor.advance(ending, of: &record, slot, at: now)
        }
      }
      switch record.hold {
      case .backoff(let until) where until <= now: record.hold = .none
      case .quarantine(let until?, _) where until <= now:
        record.history.beginProbation()
        record.hold = .none
      case .none, .finished, .backoff, .quarantine: break
      }
    }
  }

  // MARK: Transitions

  private mutating func becameReady(
    _ record: inout WorkerRecord, _ slot: WorkerRecord.Slot, at now: Moment
  ) {
    guard var process = record[slot] else { return }
    let limits = record.nextSpecification.limits
    process.phase = .serving(
      ProcessRecord.Serving(since: now, watch: Watch(limits.watchdog, at: now)))
    record[slot] = process
    if record.candidate?.revision == process.revision { record.acceptCandidate() }
    if slot == .successor {
      record.predecessor = record.main
      record.main = process
      record.successor = nil
    }
    note(
      process.isAdopted ? "adopted from an earlier host" : "ready", about: record,
      process.generation)
    // What the worker is made of has changed since: as if that had been said a moment ago.
    if process.isAdopted, process.revision != record.specification.revision {
      if record.allowsOverlap {
        record.replacementWanted = true
      } else {
        record.pendingEnd = record.pendingEnd ?? .restart
      }
    }
  }

  /// The process is gone: decides whether there will be another. `purpose` is nil when the
  /// supervisor did not end it.
  private mutating func ended(
    _ record: inout WorkerRecord, _ slot: WorkerRecord.Slot, _ end: ProcessEnd,
    purpose: EndPurpose?, at now: Moment
  ) {
    guard let process = record[slot] else { return }
    let incarnation = record.incarnation(process)
    if record.published == process.generation {
      record.published = nil
      actions.append(.withdraw(incarnation))
    }
    record[slot] = nil
    let description =
      switch purpose {
      case .failure(let failure): failure.description(with: end)
      case .stuck?: purpose?.forPeople ?? ""
      default: (purpose?.afterwards).map { "\($0) (\(end))" } ?? end.description
      }
    var wasStuck = false
    if case .stuck = purpose { wasStuck = true }
    record.lastExit = WorkerSnapshot.Exit(
      generation: process.generation, end: end, description: description, wasStuck: wasStuck)
    // A failure of the start was noted when the supervisor stepped in; this is what the process
    // itself says.
    note(
      end == .notCreated ? description : "ended: \(end)", about: record, process.generation)
    switch slot {
    case .predecessor: break
    case .successor:
      // One that was ended on request is no failure of its own.
      if purpose?.isFault ?? true { failedTrial(of: process, &record, description) }
    case .main:
      if let successor = record.successor {
        record.main = successor
        record.successor = nil
        if purpose?.isFault ?? true { escalate(from: record) }
      } else {
        mainEnded(&record, process, end, purpose, description, at: now)
      }
    }
  }

  private mutating func mainEnded(
    _ record: inout WorkerRecord, _ process: ProcessRecord, _ end: ProcessEnd,
    _ purpose: EndPurpose?, _ description: String, at now: Moment
  ) {
    record.replacementWanted = false
    guard record.isWanted else { return }
    guard purpose?.isFault ?? true else { return }
    if let candidate = record.candidate, candidate.revision == process.revision {
      return failedTrial(of: process, &record, description)
    }
    if case .failure(let failure) = purpose, !failure.isRetryable {
      record.hold = .quarantine(until: nil, reason: failure.reason)
      return note("in quarantine until somebody starts it: \(failure.reason)", about: record)
    }
    var isFailedStart = false
    if case .failure = purpose { isFailedStart = true }
    switch record.specification.restart.kind {
    case .permanent: break
    case .transient: if purpose == nil && end.isClean { return finish(&record) }
    case .temporary: if !isFailedStart { return finish(&record) }
    }
    let readySince = process.serving?.since ?? process.ending?.readySince
    judge(
      &record, died: description, of: Self.cause(end, purpose),
      readyFor: readySince.map { now - $0 },
      at: now)
    escalate(from: record)
  }

  /// What somebody wanted tried did not become ready: the worker stays what it was.
  private mutating func failedTrial(
    of process: ProcessRecord, _ record: inout WorkerRecord, _ reason: String
  ) {
    if record.candidate?.revision == process.revision { record.candidate = nil }
    guard record.isWanted else { return }
    record.failedReplacement = WorkerSnapshot.FailedReplacement(
      generation: process.generation, reason: reason)
    note(
      record.main.map { "did not become ready; generation \($0.generation) serves on" }
        ?? "did not become ready; what served before is started again",
      about: record, process.generation)
  }

  private mutating func finish(_ record: inout WorkerRecord) {
    record.hold = .finished
    note("finished", about: record)
  }

  private static func cause(_ end: ProcessEnd, _ purpose: EndPurpose?) -> RestartPolicy.Cause {
    if end == .outOfMemory { return .outOfMemory }
    switch purpose {
    case .stuck: return .stuck
    case .failure(let failure):
      return failure.description(with: end) == failure.reason ? .notReady : .crash
    default: return end == .notCreated ? .notReady : end.isClean ? .exitZero : .crash
    }
  }

  private mutating func judge(
    _ record: inout WorkerRecord, died description: String, of cause: RestartPolicy.Cause,
    readyFor: Duration?, at now: Moment
  ) {
    // Before it is judged: the restart that follows is not in it yet.
    let use = record.history.use(for: cause, at: now, record.specification)
    let verdict = record.history.died(
      of: cause, at: now, readyFor: readyFor, worker: record.specification, using: &generator)
    switch verdict {
    case .restart(let delay):
      record.restartCause = cause
      record.budgetUse = use
      record.hold = delay > .zero ? .backoff(until: now + delay) : .none
      if delay > .zero { note("starts again in \(delay.forPeople)", about: record) }
    case .quarantine(let length):
      record.restartCause = nil
      let budget = use.rule.budget
      let why = use.rule.causes == [cause] ? " \(cause.forPeople)" : ""
      let reason =
        record.history.quarantines > 1
        ? "the retry after its quarantine failed: \(description)"
        : "restarted \(budget.intensity) times\(why) within \(budget.period.forPeople), then: \(description)"
      record.hold = .quarantine(until: now + length, reason: reason)
      note("in quarantine for \(length.forPeople): \(reason)", about: record)
    }
  }

  /// Marks those for their end who must be restarted along with a worker that died.
  private mutating func escalate(from record: WorkerRecord) {
    let name = record.specification.name
    let companions: [String] =
      switch record.specification.restart.strategy {
      case .oneForOne: []
      case .restForOne: graph.dependents[name] ?? []
      case .all: startOrder.filter { $0 != name }
      }
    for companion in companions {
      update(companion) { _, record in
        if record.hasProcess && record.isWanted && record.pendingEnd == nil {
          record.pendingEnd = .companion(of: name)
        }
      }
    }
  }

  /// Begins to end a process that nobody ends yet.
  mutating func beginEnding(
    _ purpose: EndPurpose, of record: inout WorkerRecord, _ slot: WorkerRecord.Slot, at now: Moment
  ) {
    guard let process = record[slot], process.ending == nil else { return }
    let limits = record.specification.limits
    let incarnation = record.incarnation(process)
    var ending = ProcessRecord.Ending(stage: .terminating, purpose: purpose, deadline: nil)
    if record.published == process.generation {
      record.published = nil
      actions.append(.withdraw(incarnation))
    }
    switch process.phase {
    case .ending: return
    case .starting(.spawn, _): ending.stage = .unborn
    case .starting, .serving:
      ending.readySince = process.serving?.since
      if case .stuck = purpose {
        // What does not get on with its work, or is stopped, takes no order to drain and no
        // SIGTERM.
        ending.stage = .killing
        ending.deadline = now + limits.kill
        actions.append(.kill(incarnation))
      } else if process.serving != nil {
        ending.stage = .draining
        ending.deadline = now + limits.drain + limits.drainMargin
        actions.append(.drain(incarnation, grace: limits.drain))
      } else {
        ending.deadline = now + limits.terminate
        actions.append(.terminate(incarnation))
      }
    }
    record[slot]?.phase = .ending(ending)
    note(purpose.forPeople, about: record, process.generation)
  }

  /// Takes an ending that has not worked so far to its next stage.
  private mutating func advance(
    _ ending: ProcessRecord.Ending, of record: inout WorkerRecord, _ slot: WorkerRecord.Slot,
    at now: Moment
  ) {
    guard let process = record[slot] else { return }
    var ending = ending
    let limits = record.specification.limits
    let incarnation = record.incarnation(process)
    switch ending.stage {
    case .unborn: return
    case .draining:
      ending.stage = .terminating
      ending.deadline = now + limits.terminate
      actions.append(.terminate(incarnation))
    case .terminating, .killing:
      ending.stage = .killing
      ending.deadline = now + limits.kill
      actions.append(.kill(incarnation))
      note("did not end when asked to: killed", about: record, process.generation)
    }
    record[slot]?.phase = .ending(ending)
  }
}

import KithManifest

/// The steps from what there is to what is wanted.
extension Supervisor {
  mutating func reconcile(at now: Moment) {
    // A step may make the next one possible or needed: who is withdrawn is missed by others. Each
    // step uses up what it was taken for, so this ends.
    repeat {
      let before = actions.count
      publish()
      markLosses()
      end(at: now)
      start(at: now)
      if actions.count == before { break }
    } while true
    records = records.filter { !$0.value.isRetired || $0.value.hasProcess }
  }

  /// Names the processes that serve, and no others.
  private mutating func publish() {
    for name in allNames {
      update(name) { supervisor, record in
        let served = record.main.flatMap { $0.serving == nil ? nil : $0.generation }
        let missing = supervisor.missing(to: record, else: .hold)
        let wanted = missing == nil ? served : nil
        guard record.published != wanted else { return }
        if let wanted {
          supervisor.actions.append(.publish(Incarnation(worker: name, generation: wanted)))
        } else if let published = record.published {
          supervisor.actions.append(.withdraw(Incarnation(worker: name, generation: published)))
          if let missing {
            supervisor.note(
              "callers are held: \(missing) is not as well as it must be", about: record)
          }
        }
        record.published = wanted
      }
    }
  }

  /// Marks those for their end who must not run without what they require.
  private mutating func markLosses() {
    guard !isShuttingDown else { return }
    for name in startOrder {
      guard let record = records[name], record.pendingEnd == nil, record.isWanted,
        let main = record.main, main.ending == nil,
        let lost = missing(to: record, else: .restart)
      else { continue }
      records[name]?.pendingEnd = .lost(lost)
    }
  }

  private mutating func end(at now: Moment) {
    for name in allNames.reversed() {
      update(name) { supervisor, record in
        if let generation = record.main?.generation {
          supervisor.beginEnding(.replaced(by: generation), of: &record, .predecessor, at: now)
        }
        if record.replacementWanted, !record.allowsOverlap, record.main?.serving != nil {
          // It allowed that when the new process was asked for, and no longer does.
          record.replacementWanted = false
          record.pendingEnd = record.pendingEnd ?? .restart
        }
        guard let purpose = record.pendingEnd else { return }
        let slots = [WorkerRecord.Slot.successor, .main].filter {
          record[$0].map { $0.ending == nil } ?? false
        }
        // Who requires it and ends as well may need it for the calls in progress.
        guard slots.isEmpty || !supervisor.hasLeavingDependents(name) else { return }
        record.pendingEnd = nil
        for slot in slots { supervisor.beginEnding(purpose, of: &record, slot, at: now) }
      }
    }
  }

  private func hasLeavingDependents(_ name: String) -> Bool {
    records.values.contains { other in
      other.isLeaving && other.specification.requires.contains { $0.name == name }
    }
  }

  private mutating func start(at now: Moment) {
    guard !isShuttingDown else { return }
    for name in startOrder {
      update(name) { supervisor, record in
        guard record.isWanted, record.hold == .none, record.pendingEnd == nil else { return }
        if record.main == nil {
          guard record.predecessor == nil || record.allowsOverlap,
            supervisor.mayStart(record)
          else { return }
          if let cause = record.restartCause {
            record.restarts += 1
            record.history.restarted(because: cause, at: now, record.specification)
            record.restartCause = nil
          }
          supervisor.spawn(&record, .main, at: now)
        } else if record.replacementWanted, record.main?.serving != nil,
          record.successor == nil, record.predecessor == nil
        {
          if supervisor.mayStart(record) {
            record.replacementWanted = false
            record.failedReplacement = nil
            supervisor.spawn(&record, .successor, at: now)
          } else if record.failedReplacement == nil,
            let missing = supervisor.firstMissing(to: record), supervisor.isSettled(missing)
          {
            supervisor.giveUpReplacement(&record, "waits for \(missing)")
          }
        }
      }
    }
  }

  private mutating func spawn(
    _ record: inout WorkerRecord, _ slot: WorkerRecord.Slot, at now: Moment
  ) {
    record.awaits = []
    record.generation += 1
    let specification = record.nextSpecification
    let process = ProcessRecord(
      generation: record.generation, revision: specification.revision,
      phase: .starting(.spawn, deadline: now + specification.limits.start))
    record[slot] = process
    actions.append(.spawn(record.incarnation(process), revision: process.revision))
  }

  /// Nobody is to wait for what may never come; what the product is made of now is put in place
  /// when it can be.
  private mutating func giveUpReplacement(_ record: inout WorkerRecord, _ reason: String) {
    record.candidate = nil
    record.replacementWanted = record.main?.revision != record.specification.revision
    record.failedReplacement = WorkerSnapshot.FailedReplacement(
      generation: record.generation + 1, reason: reason)
    note("is not replaced now: \(reason)", about: record)
  }

  // MARK: Requirements

  private func mayStart(_ record: WorkerRecord) -> Bool {
    firstMissing(to: record) == nil
      && !record.awaits.contains { records[$0]?.isBeingReplaced == true }
  }

  /// The first required worker that is not as well as it must be.
  func firstMissing(to record: WorkerRecord) -> String? {
    record.specification.requires.first { !isMet($0) }?.name
  }

  /// The first of those whose loss has this consequence. One that an earlier host has started is
  /// not lost for as long as it may turn out to be well.
  func missing(to record: WorkerRecord, else loss: Requirement.Loss) -> String? {
    record.specification.requires.first {
      $0.onLoss == loss && !isMet($0) && records[$0.name]?.main?.isBeingAdopted != true
    }?.name
  }

  func isMet(_ requirement: Requirement) -> Bool {
    guard let other = records[requirement.name] else { return false }
    switch requirement.health {
    case .started: return other.main?.isStarted == true
    case .ready: return other.published != nil
    case .live: return other.published != nil && other.main?.serving?.watch.isLive == true
    }
  }
}

/// Changes of the desired state.
extension Supervisor {
  mutating func wantUp(_ name: String) {
    guard !isShuttingDown, records[name]?.isRetired == false else { return }
    for other in startOrder where other == name || graph.dependents[other]?.contains(name) == true {
      update(other) { _, record in
        let isNews = !record.isWanted
        record.isWanted = true
        switch record.hold {
        case .none: break
        case .backoff:
          // What is merely required keeps its pace; what was asked for by name starts at once.
          guard other == name || isNews else { return }
          record.hold = .none
          record.history.clear()
        case .quarantine, .finished:
          record.hold = .none
          record.history.clear()
          record.restartCause = nil
        }
        if other == name && record.main == nil { record.restartCause = nil }
      }
    }
  }

  mutating func wantDown(_ name: String, at now: Moment) {
    // All are wanted down then, each in its turn.
    guard !isShuttingDown else { return }
    update(name) { supervisor, record in
      record.clearDesiredState()
      for slot in [WorkerRecord.Slot.successor, .main] {
        supervisor.beginEnding(.stop, of: &record, slot, at: now)
      }
    }
  }

  mutating func shutDown() {
    isShuttingDown = true
    for name in allNames {
      update(name) { _, record in
        record.clearDesiredState()
        record.pendingEnd = .stop
      }
    }
  }

  mutating func restart(_ names: [String]) {
    guard !isShuttingDown else { return }
    let group = Set(names)
    for name in startOrder where group.contains(name) { wantUp(name) }
    for name in startOrder where group.contains(name) {
      askReplacement(of: name, group: group)
    }
  }

  mutating func replace(_ candidate: WorkerSpecification, at now: Moment) {
    let name = candidate.name
    guard !isShuttingDown, records[name]?.isRetired == false else { return }
    wantUp(name)
    update(name) { supervisor, record in
      var candidate = candidate
      // What is required changes only for the whole product at once, where it is checked.
      candidate.requires = record.specification.requires
      record.candidate = candidate
      supervisor.endSuccessor(notOf: candidate.revision, of: &record, at: now)
      // Adopted from a host that had tried it: there is nothing left to try.
      if record.main?.serving != nil, record.main?.revision == candidate.revision {
        record.acceptCandidate()
      }
    }
    askReplacement(of: name, group: [name])
  }

  mutating func specify(_ graph: WorkerGraph, at now: Moment) {
    guard !isShuttingDown else { return }
    let current = Set(graph.startOrder)
    for name in records.keys.sorted() where !current.contains(name) {
      update(name) { _, record in
        record.clearDesiredState()
        record.isRetired = true
        record.pendingEnd = .stop
      }
    }
    self.graph = graph
    var changed: Set<String> = []
    for worker in graph.workers {
      guard var record = records[worker.name] else {
        records[worker.name] = WorkerRecord(worker)
        continue
      }
      if record.isRetired {
        record.isRetired = false
        record.isWanted = worker.wanted
        record.pendingEnd = nil
      }
      let revision = record.main?.revision ?? record.specification.revision
      record.specification = worker
      record.candidate = nil
      record.generation = max(record.generation, worker.lastGeneration)
      endSuccessor(notOf: worker.revision, of: &record, at: now)
      if revision != worker.revision {
        changed.insert(worker.name)
        // It is another one now: what the old one did is not held against it.
        record.hold = .none
        record.history.clear()
        record.restartCause = nil
      }
      records[worker.name] = record
    }
    for name in startOrder where changed.contains(name) {
      askReplacement(of: name, group: changed)
    }
  }

  /// Has a new process take the place of the main one: beside it where the worker allows that, else
  /// after it.
  private mutating func askReplacement(of name: String, group: Set<String>) {
    let required = startOrder.filter { graph.dependents[$0]?.contains(name) == true }
    update(name) { _, record in
      record.history.clear()
      record.restartCause = nil
      record.failedReplacement = nil
      record.awaits = group.intersection(required)
      switch record.main?.phase {
      case nil: break
      case .starting: record.pendingEnd = record.pendingEnd ?? .restart
      case .serving:
        if record.allowsOverlap {
          record.replacementWanted = true
        } else {
          record.pendingEnd = record.pendingEnd ?? .restart
        }
      case .ending: break
      }
      record.excuseEndings(as: .restart)
    }
  }

  private mutating func endSuccessor(
    notOf revision: UInt64, of record: inout WorkerRecord, at now: Moment
  ) {
    guard let successor = record.successor, successor.revision != revision else { return }
    beginEnding(.restart, of: &record, .successor, at: now)
  }
}

extension WorkerRecord {
  /// The candidate is what the worker is from now on: a process of it is ready.
  mutating func acceptCandidate() {
    guard let candidate else { return }
    specification = candidate
    self.candidate = nil
  }

  /// Nobody wants anything of it any more; what is under way for its end goes on as a stop.
  fileprivate mutating func clearDesiredState() {
    isWanted = false
    hold = .none
    history.clear()
    restartCause = nil
    candidate = nil
    replacementWanted = false
    failedReplacement = nil
    pendingEnd = nil
    awaits = []
    excuseEndings(as: .stop)
  }

  /// Whatever its processes are being ended for, it is what somebody wants now.
  fileprivate mutating func excuseEndings(as purpose: EndPurpose) {
    for slot in [Slot.main, .successor] {
      guard var ending = self[slot]?.ending else { continue }
      ending.purpose = purpose
      self[slot]?.phase = .ending(ending)
    }
  }

  /// Whether the old and the new process may serve at once.
  var allowsOverlap: Bool { specification.overlap && nextSpecification.overlap }
}

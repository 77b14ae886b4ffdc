import EventsContract
import HostContract
import KithManifest
import KithPlanning
import KithRPC
import KithSupervision
import WorkerContract

/// The clocks of a product whose time is virtual: shown to all workers, and moved together.
extension Host {
  /// What the clocks show.
  func virtualTime() throws(RPCError) -> ClockMove.Time {
    guard let time = desired.state.virtualTime else {
      throw RPCError(
        .failedPrecondition,
        "\(settings.plan.product) goes by the machine's clocks; to move them, end it and start it with `kith up --virtual-time`"
      )
    }
    return time
  }

  /// What the workers say when they are shown a time.
  fileprivate struct Round {
    var timerRuns: UInt64 = 0
    var nextDue: Int64?
    var events = EventFlow()
  }

  /// Moves the clocks, and answers when all that became due on the way has run and all that was
  /// told has been taken in.
  func moveClock(
    _ request: HostContract.MoveClockRequest
  ) async throws -> HostContract.MoveClockResponse {
    try refuseDuringShutdown()
    var move = try Self.move(request, from: virtualTime())
    guard operations.begin(.moveClock) else {
      throw RPCError(.aborted, "the clocks are being moved by somebody else; try again")
    }
    defer { operations.end(.moveClock) }
    var timerRuns: UInt64 = 0
    var round = Round()
    while true {
      let time = move.time
      changeDesired { $0.virtualTime = time }
      round = try await show(time, afterTakingIn: round.events.ends)
      timerRuns += round.timerRuns
      switch move.next(due: round.nextDue, hasRun: round.timerRuns > 0, events: round.events) {
      case .show: continue
      case .arrived:
        return HostContract.MoveClockResponse(
          wallMs: time.wallMilliseconds, elapsedMs: time.elapsedMilliseconds, stops: move.stops,
          turns: timerRuns, nextDueMs: round.nextDue,
          absent: round.events.absent.map { AbsentEvents(worker: $0.worker, service: $0.service) })
      case .stuck(let follower):
        throw RPCError(
          .failedPrecondition,
          "the clocks stand still: \(follower.worker) cannot take an event of \(follower.service) in (\(follower.trouble)); see `kith logs \(follower.worker)`"
        )
      case .endless:
        throw RPCError(
          .failedPrecondition,
          "the clocks stand still: at this moment something is due however often it is run; `kith logs` may say of which worker"
        )
      }
    }
  }

  private static func move(
    _ request: HostContract.MoveClockRequest, from time: ClockMove.Time
  ) throws(RPCError) -> ClockMove {
    switch request.move {
    case .advanceMs(let milliseconds):
      guard (0...longestAdvance).contains(milliseconds) else {
        throw RPCError.invalidArgument(
          field: "advance_ms", "\(milliseconds) is not from 0 to \(longestAdvance)")
      }
      return ClockMove(from: time, advancingBy: milliseconds)
    case .setWallMs(let milliseconds):
      guard (-longestAdvance...longestAdvance * 4).contains(milliseconds) else {
        throw RPCError.invalidArgument(
          field: "set_wall_ms", "\(milliseconds) is more than 400 years away")
      }
      return ClockMove(from: time, settingWallTo: milliseconds)
    case nil:
      throw RPCError.invalidArgument(field: "move", "neither advance_ms nor set_wall_ms is given")
    }
  }

  /// A hundred years, in milliseconds.
  private static let longestAdvance: Int64 = 3_155_760_000_000

  /// Shows the time to all workers that are ready, once none is on its way to be; what they ran,
  /// when they next will, and what they have told and taken in.
  private func show(
    _ time: ClockMove.Time, afterTakingIn ends: [String: EventFlow.Place]
  ) async throws -> Round {
    var timerRuns: UInt64 = 0
    while true {
      // Whoever starts meanwhile begins with this time, and may have something to do at once.
      try await wait { $0.canAskAll || $0.phase.isEnding ? .success(()) : nil }
      try refuseDuringShutdown()
      // One that is no longer part of the product has no link.
      let links = workers.all.compactMap { worker in
        worker.publishedProcess.flatMap { process in
          process.link.map { (process.incarnation, $0) }
        }
      }
      let answers = await withTaskGroup { group in
        for (incarnation, link) in links {
          group.addTask { (incarnation, await link.moveClock(to: time, afterTakingIn: ends)) }
        }
        return await group.reduce(into: [Incarnation: WorkerLink.ClockAnswer]()) { $0[$1.0] = $1.1 }
      }
      var round = Round()
      var isLost = false
      for (incarnation, answer) in answers.sorted(by: { $0.key.worker < $1.key.worker }) {
        let name = incarnation.worker
        switch answer {
        case .success(let response):
          timerRuns += workers.update(incarnation) { $0.newTimerRuns(response.turns) } ?? 0
          round.add(response, of: name, serving: plannedServices(of: name))
        case .failure(let error) where error.code == .unavailable:
          // It ended in this moment: its next process is asked.
          isLost = true
        case .failure(let error):
          throw RPCError(.failedPrecondition, "due work of \(name) failed: \(error.message)")
        }
      }
      if !isLost {
        round.timerRuns = timerRuns
        return round
      }
    }
  }

  /// Whether nobody is on the way to be ready, and of nobody that was the end is known and its
  /// reason not yet.
  private var canAskAll: Bool {
    supervisor.isSettled
      && workers.all.allSatisfy { $0.published == nil || $0.publishedProcess != nil }
  }

  private func plannedServices(of name: String) -> [String] {
    settings.plan.worker(named: name)?.provides ?? []
  }

  /// Tells a process that has become ready what the clocks show, which may have moved since its
  /// launch record was written.
  func repeatTime(to incarnation: Incarnation) {
    guard let time = desired.state.virtualTime, let link = workers[incarnation]?.link else {
      return
    }
    tasks.add { _ = await link.moveClock(to: time) }
  }
}

extension Host.Round {
  /// Adds what one worker said.
  fileprivate mutating func add(
    _ response: WorkerContract.MoveClockResponse, of worker: String, serving services: [String]
  ) {
    if let next = response.nextDueMs { nextDue = min(nextDue ?? next, next) }
    events.services.formUnion(services)
    if let end = response.logEnd {
      for service in services { events.ends[service] = EventFlow.Place(end) }
    }
    events.followers += response.consumers.map { consumer in
      EventFlow.Follower(
        worker: worker, service: consumer.service,
        place: consumer.position.map(EventFlow.Place.init),
        trouble: consumer.trouble)
    }
  }
}

extension EventFlow.Place {
  fileprivate init(_ position: Position) {
    self.init(log: position.log, sequence: position.sequence)
  }
}

extension Position {
  /// The place in the words of the contract.
  init(_ place: EventFlow.Place) {
    self.init(log: place.log, sequence: place.sequence)
  }
}

extension VirtualTime {
  /// The time in the words of the contract.
  init(_ time: ClockMove.Time) {
    self.init(wallMs: time.wallMilliseconds, elapsedMs: time.elapsedMilliseconds)
  }
}

import HostContract
import KithManifest
import KithRPC
import KithSupervision
import WorkerContract

/// The clocks of a product whose time is virtual: shown to all workers, and moved together.
extension Host {
  /// What the clocks show.
  func clock() throws(RPCError) -> ClockMove.Time {
    guard let time = wishes.virtualTime else {
      throw RPCError(
        .failedPrecondition,
        "\(settings.plan.product) goes by the machine's clocks; to move them, end it and start it with `kith up --virtual-time`"
      )
    }
    return time
  }

  /// Moves the clocks, and answers when all that became due on the way has run.
  func moveClock(
    _ request: HostContract.MoveClockRequest
  ) async throws -> HostContract.MoveClockResponse {
    try refuseDuringShutdown()
    var move = try Self.move(request, from: clock())
    guard !isMovingClock else {
      throw RPCError(.aborted, "the clocks are being moved by somebody else; try again")
    }
    isMovingClock = true
    defer { isMovingClock = false }
    var (turns, nextDue): (UInt64, Int64?) = (0, nil)
    while true {
      let time = move.time
      changeWishes { $0.virtualTime = time }
      let round = try await show(time)
      turns += round.turns
      nextDue = round.nextDue
      switch move.next(due: nextDue, hasRun: round.turns > 0) {
      case .show: continue
      case .arrived:
        return HostContract.MoveClockResponse(
          wallMs: time.wallMilliseconds, elapsedMs: time.elapsedMilliseconds, stops: move.stops,
          turns: turns, nextDueMs: nextDue)
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

  /// Shows the time to all workers that are ready, once none is on its way to be; what they ran, and when they next will.
  private func show(
    _ time: ClockMove.Time
  ) async throws -> (turns: UInt64, nextDue: Int64?) {
    while true {
      // Whoever starts meanwhile begins with this time, and may have something to do at once.
      try await wait { $0.supervisor.isSettled || $0.isShuttingDown ? .success(()) : nil }
      try refuseDuringShutdown()
      let links = published.compactMapValues { processes[$0]?.link }
      let answers = await withTaskGroup { group in
        for (name, link) in links {
          group.addTask { (name, await link.moveClock(to: time)) }
        }
        return await group.reduce(into: [String: WorkerLink.ClockAnswer]()) { $0[$1.0] = $1.1 }
      }
      var (turns, due): (UInt64, [Int64]) = (0, [])
      var isLost = false
      for (name, answer) in answers.sorted(by: { $0.key < $1.key }) {
        switch answer {
        case .success(let response):
          turns += response.turns
          if let next = response.nextDueMs { due.append(next) }
        case .failure(let error) where error.code == .unavailable:
          // It ended in this moment: its next process is asked.
          isLost = true
        case .failure(let error):
          throw RPCError(.failedPrecondition, "due work of \(name) failed: \(error.message)")
        }
      }
      if !isLost { return (turns, due.min()) }
    }
  }

  /// Tells a process that has become ready what the clocks show, which may have moved since its launch record was written.
  func repeatTime(to incarnation: Incarnation) {
    guard let time = wishes.virtualTime, let link = processes[incarnation]?.link else { return }
    chores.yield { _ = await link.moveClock(to: time) }
  }
}

extension VirtualTime {
  /// The time in the words of the contract.
  init(_ time: ClockMove.Time) {
    self.init(wallMs: time.wallMilliseconds, elapsedMs: time.elapsedMilliseconds)
  }
}

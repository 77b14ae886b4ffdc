import Synchronization

/// Something with deadlines.
protocol AlarmOwner: AnyObject, Sendable {
  /// Does what is due at `now` and answers the next moment, nil when there is none.
  func alarmRang(_ now: Moment) -> Moment?
}

/// Calls its owner at the earliest of the moments that were asked for: one sleeping task for all
/// the deadlines of a connection.
///
/// Deadlines are mostly of one length, so a later one is mostly also asked for later: the task that
/// already sleeps serves it, and setting a deadline costs a comparison.
final class Alarm: Sendable {
  private struct State {
    var sleeper: Task<Void, Never>?
    var isClosed = false
  }

  /// When the sleeper wakes, in nanoseconds; the greatest number when there is none.
  private let moment = Atomic(UInt64.max)
  private let state = Mutex(State())

  /// Asks for a call of `owner`, which is not kept alive for it, at `moment` or earlier.
  func set(_ moment: Moment, for owner: some AlarmOwner) {
    guard moment.nanoseconds < self.moment.load(ordering: .acquiring) else { return }
    let replaced = state.withLock { state -> Task<Void, Never>? in
      guard !state.isClosed, moment.nanoseconds < self.moment.load(ordering: .relaxed) else {
        return nil
      }
      self.moment.store(moment.nanoseconds, ordering: .releasing)
      let former = state.sleeper
      state.sleeper = sleep(until: moment, owner)
      return former
    }
    replaced?.cancel()
  }

  /// Never calls again.
  func close() {
    let sleeper = state.withLock { state in
      state.isClosed = true
      return state.sleeper.take()
    }
    sleeper?.cancel()
  }

  private func sleep(until moment: Moment, _ owner: some AlarmOwner) -> Task<Void, Never> {
    Task.detached { [weak self, weak owner] in
      // An Instant of the moment, not a Duration from here: the task may start late.
      let wake = ContinuousClock.now + Moment.now.duration(until: moment)
      do { try await Task.sleep(until: wake, clock: .continuous) } catch { return }
      guard let self, let owner else { return }
      self.ring(moment, owner)
    }
  }

  private func ring(_ moment: Moment, _ owner: some AlarmOwner) {
    let isCurrent = state.withLock { state in
      guard self.moment.load(ordering: .relaxed) == moment.nanoseconds, !state.isClosed else {
        return false
      }
      self.moment.store(.max, ordering: .releasing)
      state.sleeper = nil
      return true
    }
    // Clocks round: what was due a hair's breadth after now is due.
    guard isCurrent, let next = owner.alarmRang(max(.now, moment)) else { return }
    set(next, for: owner)
  }
}

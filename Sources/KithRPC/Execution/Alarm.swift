import Synchronization

/// Calls back at the earliest of the moments that were asked for: one sleeping task for all the
/// deadlines of a connection.
///
/// Deadlines are mostly of one length, so a later one is mostly also asked for later: the task that
/// already sleeps serves it, and setting a deadline costs a comparison.
final class Alarm: Sendable {
  private struct State {
    var moment: ContinuousClock.Instant?
    var sleeper: Task<Void, Never>?
    var isClosed = false
  }

  private let state = Mutex(State())
  /// Does what is due and answers the next moment, nil when there is none.
  private let ring: @Sendable (ContinuousClock.Instant) -> ContinuousClock.Instant?

  init(ring: @escaping @Sendable (ContinuousClock.Instant) -> ContinuousClock.Instant?) {
    self.ring = ring
  }

  /// Asks for a call at `moment`, or earlier.
  func set(_ moment: ContinuousClock.Instant) {
    let replaced = state.withLock { state -> Task<Void, Never>? in
      guard !state.isClosed else { return nil }
      if let set = state.moment, set <= moment { return nil }
      defer { state.sleeper = sleep(until: moment) }
      state.moment = moment
      return state.sleeper
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

  private func sleep(until moment: ContinuousClock.Instant) -> Task<Void, Never> {
    Task { [weak self] in
      do { try await Task.sleep(until: moment, clock: .continuous) } catch { return }
      self?.wake(from: moment)
    }
  }

  private func wake(from moment: ContinuousClock.Instant) {
    let isCurrent = state.withLock { state in
      guard state.moment == moment, !state.isClosed else { return false }
      state.moment = nil
      state.sleeper = nil
      return true
    }
    guard isCurrent, let next = ring(ContinuousClock.now) else { return }
    set(next)
  }
}

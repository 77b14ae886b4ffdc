import Synchronization

/// Lets one of many like messages into the log, so that what a stranger does before it is refused
/// does not push everything else out of it.
final class LogThrottle: Sendable {
  /// How long after a message the next one may come.
  static let interval = Duration.seconds(10)

  private struct State {
    var last: ContinuousClock.Instant?
    var heldBack = 0
  }

  private let state = Mutex(State())

  /// Whether a message may be logged now, and then how many were not since the last one; nil when
  /// it may not.
  func admit(at now: ContinuousClock.Instant) -> Int? {
    state.withLock { state in
      if let last = state.last, last.duration(to: now) < Self.interval {
        state.heldBack += 1
        return nil
      }
      defer { state = State(last: now) }
      return state.heldBack
    }
  }
}

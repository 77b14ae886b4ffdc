import Synchronization

/// Wakes those who watch a worker's health when there is something to tell.
final class HealthPulse: Sendable {
  private struct State {
    var next = 0
    var watchers: [Int: AsyncStream<Void>.Continuation] = [:]
  }

  private let state = Mutex(State())
  private let beats = Atomic<UInt64>(0)

  /// Wakes all watchers.
  func wake() {
    let watchers = state.withLock { Array($0.watchers.values) }
    for watcher in watchers { watcher.yield() }
  }

  /// Counts a round of the event loop, and answers how many there were.
  ///
  /// The calling handler runs on the executor of calls; the hop to Swift's own pool proves that
  /// that one gets on too.
  func beat() async -> UInt64 {
    await withTaskExecutorPreference(globalConcurrentExecutor) {
      self.beats.add(1, ordering: .relaxed).newValue
    }
  }

  /// Calls `body` at once, at every `wake` and at least every `interval`, until it answers that it
  /// is done; then not even `interval` matters, but `soon`: what ends is told without delay.
  func watch(
    every interval: Duration, _ body: @Sendable () async throws -> Next
  ) async throws {
    let (pulses, pulse) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state in
      defer { state.next += 1 }
      state.watchers[state.next] = pulse
      return state.next
    }
    defer { state.withLock { _ = $0.watchers.removeValue(forKey: id) } }
    try await withThrowingDiscardingTaskGroup { group in
      func tick(every interval: Duration) {
        group.addTask {
          while (try? await Task.sleep(for: interval)) != nil { pulse.yield() }
        }
      }
      defer { group.cancelAll() }
      tick(every: interval)
      var isSoon = false
      pulse.yield()
      for await _ in pulses {
        switch try await body() {
        case .waitForPulse: break
        case .lookAgainSoon:
          if !isSoon { tick(every: Self.soon) }
          isSoon = true
        case .end: return
        }
      }
    }
  }

  /// What a watcher wants next.
  enum Next: Sendable {
    /// To be woken when there is something to tell, or time to.
    case waitForPulse
    /// To be woken all the time: the end is near.
    case lookAgainSoon
    /// Nothing more.
    case end
  }

  /// How often those look who wait for the end.
  private static let soon = Duration.milliseconds(5)
}

import Synchronization

/// The calls that have not ended, each with the moment by which it must have.
final class OpenCalls: Sendable {
  private struct Entry {
    var shape: String
    var bound: ContinuousClock.Instant
  }

  private struct State {
    var entries: [UInt64: Entry] = [:]
    var next: UInt64 = 0
  }

  private let state = Mutex(State())

  /// A call begins.
  func open(_ shape: String, within bound: Duration) -> UInt64 {
    state.withLock { state in
      state.next += 1
      state.entries[state.next] = Entry(shape: shape, bound: .now.advanced(by: bound))
      return state.next
    }
  }

  /// A call has ended; whether it did so within its bound.
  func close(_ id: UInt64) -> Bool {
    state.withLock { $0.entries.removeValue(forKey: id).map { $0.bound > .now } ?? false }
  }

  /// The shapes of the calls that should have ended.
  var overdue: [String] {
    state.withLock { state in
      state.entries.values.filter { $0.bound <= .now }.map(\.shape).sorted()
    }
  }
}

import Synchronization

/// An event that happens once; tests wait for it instead of sleeping.
final class Signal: Sendable {
  private struct State {
    var isSet = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// Lets all who wait go on, now and later.
  func set() {
    let waiters = state.withLock { state in
      state.isSet = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  var isSet: Bool { state.withLock { $0.isSet } }

  /// Waits for the event, whether or not the task is cancelled meanwhile.
  func wait() async {
    await withCheckedContinuation { continuation in
      let isSet = state.withLock { state in
        if !state.isSet { state.waiters.append(continuation) }
        return state.isSet
      }
      if isSet { continuation.resume() }
    }
  }
}

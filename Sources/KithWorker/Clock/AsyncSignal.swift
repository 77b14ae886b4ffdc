import Synchronization

/// A one-slot signal. `signal()` resumes the waiting task, or is stored until the next
/// `wait(atMost:)`.
final class AsyncSignal: Sendable {
  private struct State {
    var isSignalled = false
    /// Counts the waits, so that the end of one does not end the next.
    var wait: UInt64 = 0
    /// The last wait whose time was over, perhaps before it had begun.
    var over: UInt64 = 0
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  /// Resumes the waiting task, or the next one that waits.
  func signal() {
    let waiter = state.withLock { state in
      defer { state.waiter = nil }
      if state.waiter == nil { state.isSignalled = true }
      return state.waiter
    }
    waiter?.resume()
  }

  /// Waits for a signal, or until the task is cancelled.
  /// - Parameter limit: how long it waits at most; nil for no limit.
  func wait(atMost limit: Duration?) async {
    let number = state.withLock { state in
      state.wait += 1
      return state.wait
    }
    let timer = limit.map { limit in
      Task {
        guard (try? await Task.sleep(for: limit)) != nil else { return }
        self.giveUp(number)
      }
    }
    defer { timer?.cancel() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.isSignalled || state.over == number || Task.isCancelled {
            state.isSignalled = false
            return true
          }
          state.waiter = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      giveUp(number)
    }
  }

  private func giveUp(_ number: UInt64) {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.wait == number else { return nil }
      state.over = number
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }
}

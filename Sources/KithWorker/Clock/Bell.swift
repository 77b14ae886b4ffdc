import Synchronization

/// Wakes the one task that waits for it; a ring while nobody waits is kept for the next who does.
final class Bell: Sendable {
  private struct State {
    var isRung = false
    /// Counts the waits, so that the end of one does not end the next.
    var wait: UInt64 = 0
    /// The last wait whose time was over, perhaps before it had begun.
    var over: UInt64 = 0
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  /// Wakes who waits.
  func ring() {
    let waiter = state.withLock { state in
      defer { state.waiter = nil }
      if state.waiter == nil { state.isRung = true }
      return state.waiter
    }
    waiter?.resume()
  }

  /// Waits for a ring, so long at most, nil for ever, or until the task is cancelled.
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
          if state.isRung || state.over == number || Task.isCancelled {
            state.isRung = false
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

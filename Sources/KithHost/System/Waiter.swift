import Synchronization

/// One value that one task waits for and that may come, or be given up, from anywhere.
final class Waiter<Value: Sendable>: Sendable {
  private enum State {
    case idle
    case waiting(CheckedContinuation<Value, any Error>)
    case finished(Result<Value, any Error>)
  }

  private let state = Mutex(State.idle)

  /// Whether the value has come or was given up.
  var isFinished: Bool {
    state.withLock { if case .finished = $0 { true } else { false } }
  }

  /// Gives the value; only the first one counts.
  func finish(_ result: Result<Value, any Error>) {
    let continuation: CheckedContinuation<Value, any Error>? = state.withLock { state in
      switch state {
      case .idle:
        state = .finished(result)
        return nil
      case .waiting(let continuation):
        state = .finished(result)
        return continuation
      case .finished: return nil
      }
    }
    continuation?.resume(with: result)
  }

  /// Waits for the value; ends at once with `CancellationError` when the task is cancelled. Once
  /// per waiter.
  func value() async throws -> Value {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result: Result<Value, any Error>? = state.withLock { state in
          if case .finished(let result) = state { return result }
          state = .waiting(continuation)
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      finish(.failure(CancellationError()))
    }
  }
}

import Synchronization

/// Lets one task at a time through under each key; the others wait for their turn.
final class KeyedTurns<Key: Hashable & Sendable>: Sendable {
  private struct Waiter {
    var id: UInt64
    var continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    /// Who waits for the keys that are taken, first come first served.
    var waiting: [Key: [Waiter]] = [:]
    var nextWaiter: UInt64 = 0
  }

  private let state = Mutex(State())

  /// Runs `body` when it is the key's turn.
  ///
  /// - Throws: `CancellationError` when the task is cancelled while it waits; otherwise what `body` throws.
  func run<Value: Sendable>(
    _ key: Key, _ body: () async throws -> Value
  ) async throws -> Value {
    guard await enter(key) else { throw CancellationError() }
    defer { leave(key) }
    return try await body()
  }

  /// How many keys are taken.
  var count: Int { state.withLock { $0.waiting.count } }

  /// How many tasks wait for their turn under a key.
  func waiting(for key: Key) -> Int { state.withLock { $0.waiting[key]?.count ?? 0 } }

  private func enter(_ key: Key) async -> Bool {
    let id = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isEntered: Bool? = state.withLock { state in
          guard state.waiting[key] != nil else {
            state.waiting[key] = []
            return true
          }
          // Asked under the lock, so that a cancellation is either seen here or finds the waiter.
          if Task.isCancelled { return false }
          state.waiting[key]?.append(Waiter(id: id, continuation: continuation))
          return nil
        }
        if let isEntered { continuation.resume(returning: isEntered) }
      }
    } onCancel: {
      let waiter = state.withLock { state -> Waiter? in
        guard let index = state.waiting[key]?.firstIndex(where: { $0.id == id }) else {
          return nil
        }
        return state.waiting[key]?.remove(at: index)
      }
      waiter?.continuation.resume(returning: false)
    }
  }

  private func leave(_ key: Key) {
    let next = state.withLock { state -> Waiter? in
      guard let waiting = state.waiting[key], !waiting.isEmpty else {
        state.waiting[key] = nil
        return nil
      }
      return state.waiting[key]?.removeFirst()
    }
    next?.continuation.resume(returning: true)
  }
}

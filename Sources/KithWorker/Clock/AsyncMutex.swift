/// A mutex whose holder may suspend. Waiting tasks get it in the order in which they asked.
actor AsyncMutex {
  private var isLocked = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Runs the body while no other runs.
  nonisolated func withLock<Value: Sendable>(
    _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    await lock()
    do {
      let value = try await body()
      await unlock()
      return value
    } catch {
      await unlock()
      throw error
    }
  }

  private func lock() async {
    guard isLocked else {
      isLocked = true
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  private func unlock() {
    if waiting.isEmpty {
      isLocked = false
    } else {
      waiting.removeFirst().resume()
    }
  }
}

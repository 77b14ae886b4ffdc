/// Lets one task in at a time, in the order in which they came.
actor Turnstile {
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Runs the body when all that came before it have.
  nonisolated func pass<Value: Sendable>(
    _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    await enter()
    do {
      let value = try await body()
      await leave()
      return value
    } catch {
      await leave()
      throw error
    }
  }

  private func enter() async {
    guard isTaken else {
      isTaken = true
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  private func leave() {
    if waiting.isEmpty {
      isTaken = false
    } else {
      waiting.removeFirst().resume()
    }
  }
}

import KithRPC

/// Callers of the control service that wait until something is so.
///
/// Each has a condition, which is checked after everything that happens. A caller that gave up is
/// forgotten at the next check.
struct PendingWaits {
  /// Answers whether the wait is over.
  private var conditions: [@Sendable (isolated Host) -> Bool] = []

  /// Adds a wait that ends when `check` gives an answer.
  mutating func add<Value: Sendable>(
    _ check: @escaping @Sendable (isolated Host) -> Result<Value, RPCError>?
  ) -> Waiter<Value> {
    let waiter = Waiter<Value>()
    conditions.append { host in
      if waiter.isFinished { return true }
      guard let result = check(host) else { return false }
      waiter.finish(result.mapError { $0 })
      return true
    }
    return waiter
  }

  /// Checks all conditions and removes the waits that are over.
  mutating func check(_ host: isolated Host) {
    conditions.removeAll { $0(host) }
  }
}

import Synchronization

/// What a worker says about its own health. Ready and whole unless it says otherwise.
public final class WorkerHealth: Sendable {
  private let reason = Mutex("")
  private let changed: @Sendable () -> Void

  init(changed: @escaping @Sendable () -> Void = {}) {
    self.changed = changed
  }

  /// The worker answers calls, with a part missing. `reason` says which, in plain words, nothing personal; it is shown in
  /// `kith status`.
  public func degrade(_ reason: String) {
    let isNew = self.reason.withLock { current in
      defer { current = reason }
      return current != reason
    }
    if isNew { changed() }
  }

  /// The worker is whole again.
  public func recover() {
    degrade("")
  }

  /// Why the worker is degraded; empty when it is not.
  var degradation: String { reason.withLock { $0 } }
}

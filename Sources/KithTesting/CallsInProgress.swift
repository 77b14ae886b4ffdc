import KithRPC
import Synchronization

/// Counts the calls that a test makes, so that the kit knows whether one of them may still have
/// effects.
final class CallsInProgress: ClientInterceptor {
  private struct State {
    var begun: UInt64 = 0
    var running = 0
  }

  private let state = Mutex(State())

  /// How many calls have begun, where none of them runs; nil while one does.
  var settled: UInt64? {
    state.withLock { $0.running == 0 ? $0.begun : nil }
  }

  func begin(
    _ method: MethodDescriptor, _ options: inout CallOptions
  ) async throws(RPCError) -> ClientCallEnd? {
    // To look at event logs changes nothing.
    guard method.service != EventLogs.service else { return nil }
    state.withLock { state in
      state.begun += 1
      state.running += 1
    }
    return { _ in self.state.withLock { $0.running -= 1 } }
  }
}

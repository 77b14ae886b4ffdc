import KithRPC
import Metrics
import Synchronization

/// The counters and timers of one side's calls, by method; made when a method is first called.
///
/// | name | kind | dimensions |
/// |---|---|---|
/// | `kith_rpc_SIDE_calls_total` | counter | `method`, `code` |
/// | `kith_rpc_SIDE_duration` | timer | `method` |
///
/// Dimensions are names of the contract and of status codes: nothing that a caller has sent.
final class CallMetrics: Sendable {
  private struct Key: Hashable {
    var method: String
    var code: StatusCode
  }

  private struct State {
    var counters: [Key: Counter] = [:]
    var timers: [String: Metrics.Timer] = [:]
  }

  private let side: String
  private let state = Mutex(State())

  /// Metrics of `side`: `client` or `server`.
  init(side: String) { self.side = side }

  /// Counts a call that has ended.
  func record(_ method: MethodDescriptor, _ code: StatusCode, _ duration: Duration) {
    let name = method.fullName
    let (counter, timer) = state.withLock { state in
      let key = Key(method: name, code: code)
      let counter =
        state.counters[key]
        ?? Counter(
          label: "kith_rpc_\(side)_calls_total",
          dimensions: [("method", name), ("code", code.name)])
      let timer =
        state.timers[name]
        ?? Metrics.Timer(label: "kith_rpc_\(side)_duration", dimensions: [("method", name)])
      state.counters[key] = counter
      state.timers[name] = timer
      return (counter, timer)
    }
    counter.increment()
    timer.record(duration: duration)
  }
}

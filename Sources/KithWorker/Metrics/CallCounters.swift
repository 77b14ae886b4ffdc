import KithRPC
import MetricsContract
import Synchronization

/// Counts the calls of a worker's own services. Those of the SDK are left out: a host that asks
/// after a worker's health would otherwise be the progress that it sees.
final class CallCounters: Sendable {
  private let counters = Mutex<[MethodCounter]>([])

  /// The service with its calls counted here.
  func counting(_ service: ServiceDefinition) -> ServiceDefinition {
    service.observed { method in
      let counter = MethodCounter(method)
      counters.withLock { $0.append(counter) }
      return counter
    }
  }

  private var all: [MethodCounter] { counters.withLock { $0 } }

  /// How many calls have ended.
  var ended: UInt64 { all.reduce(0) { $0 + $1.callsEnded } }

  /// How many calls are in progress.
  var inProgress: Int { Int(clamping: all.reduce(0) { $0 + $1.inProgress }) }

  /// The counts of each method, by its name.
  var metrics: [MethodMetrics] { all.map(\.metrics).sorted { $0.method < $1.method } }
}

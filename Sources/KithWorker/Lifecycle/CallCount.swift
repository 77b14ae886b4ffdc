import KithRPC
import Synchronization

/// Counts the calls of a worker's own services. Those of the SDK are left out: a host that asks after a worker's health
/// would otherwise be the progress that it sees.
final class CallCount: Sendable {
  private let started = Atomic<UInt64>(0)
  private let finished = Atomic<UInt64>(0)

  /// How many calls have ended.
  var ended: UInt64 { finished.load(ordering: .acquiring) }

  /// How many calls are in progress.
  var inProgress: Int {
    // The ended ones first: a call that begins and ends in between is then counted as in progress, never as less than
    // nothing.
    let finished = finished.load(ordering: .acquiring)
    return Int(clamping: started.load(ordering: .acquiring) - finished)
  }

  /// The service with its calls counted here.
  func counting(_ service: ServiceDefinition) -> ServiceDefinition {
    service.observed(
      began: { _ = self.started.wrappingAdd(1, ordering: .relaxed) },
      ended: { _ = self.finished.wrappingAdd(1, ordering: .releasing) })
  }
}

package import EventsContract
import Synchronization
import WorkerContract

/// How far a worker's own event log goes, and how far its consumers have come in those of others:
/// what the clocks of a product wait for before they go on.
package final class EventStandings: Sendable {
  /// How long a consumer is waited for at most, by the machine's clock; the host then looks at what
  /// is the matter.
  private static let patience = Duration.seconds(1)

  private struct State {
    var end: (@Sendable () async throws -> Position)?
    /// By the consumer's name.
    var consumers: [String: ConsumerStanding] = [:]
    var waiters: [Int: AsyncStream<Void>.Continuation] = [:]
    var nextWaiter = 0
  }

  private let state = Mutex(State())

  /// Says how to learn where the worker's own log ends.
  package func keepsLog(end: @escaping @Sendable () async throws -> Position) {
    state.withLock { $0.end = end }
  }

  /// Names a consumer of the events of the worker that serves a service. To be called before the
  /// worker is ready.
  package func follows(_ service: String, as consumer: String) {
    change { $0[consumer] = ConsumerStanding(service: service) }
  }

  /// A consumer has noted a position.
  package func reached(_ position: Position, consumer: String) {
    change {
      $0[consumer]?.position = position
      $0[consumer]?.trouble = ""
    }
  }

  /// A consumer could not take an event; or, with nil, all is well again.
  package func trouble(_ trouble: String?, consumer: String) {
    change { $0[consumer]?.trouble = trouble ?? "" }
  }

  /// Where the worker's own log ends; nil without one.
  var end: Position? {
    get async throws { try await state.withLock(\.end)?() }
  }

  /// How far the consumers have come.
  var consumers: [ConsumerStanding] {
    state.withLock { state in
      state.consumers.sorted { $0.key < $1.key }.map(\.value)
    }
  }

  /// Waits until the consumers of these logs have come to their ends, a second at most.
  func reach(_ ends: [LogEnd]) async {
    let (changes, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let waiter = state.withLock { state in
      state.nextWaiter += 1
      state.waiters[state.nextWaiter] = continuation
      return state.nextWaiter
    }
    let timer = Task {
      try await Task.sleep(for: Self.patience)
      continuation.finish()
    }
    defer {
      timer.cancel()
      state.withLock { $0.waiters[waiter] = nil }
    }
    guard !hasReached(ends) else { return }
    for await _ in changes where hasReached(ends) { return }
  }

  private func hasReached(_ ends: [LogEnd]) -> Bool {
    let ends = Dictionary(ends.map { ($0.service, $0.position) }) { $1 }
    return consumers.allSatisfy { consumer in
      guard let end = ends[consumer.service] ?? nil else { return true }
      return consumer.position.map { $0.log == end.log && $0.sequence >= end.sequence } ?? false
    }
  }

  private func change(_ body: (inout [String: ConsumerStanding]) -> Void) {
    let waiters = state.withLock { state in
      body(&state.consumers)
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.yield() }
  }
}

import EventsContract
import KithRPC
import Synchronization

/// The event logs of workers as a test has seen them: what stood there once must stand there ever
/// after.
final class EventLogs: Sendable {
  /// The service that event logs are read from.
  static let service = "kith.events.v1.Events"

  private let seen = Mutex<[String: [Event]]>([:])

  /// The workers whose logs have been looked at.
  var workers: [String] { seen.withLock { $0.keys.sorted() } }

  /// Reads a worker's log to its end, and on, until there is something to be had of all that stands
  /// there. A worker that is away is waited for.
  ///
  /// - Throws: `TestingError` when something that was seen before is lost or another, or when the
  ///   log has a gap.
  func read<Value>(
    of worker: String, _ client: RPCClient, within limit: Duration = RunningProduct.patience,
    until value: ([Event]) throws -> Value?
  ) async throws -> Value {
    let deadline = ContinuousClock.now + limit
    while true {
      do {
        let options = CallOptions(timeout: deadline - .now, waitForReady: true)
        let end = try await end(of: client, options)
        let stream = try await EventsClient(client).subscribe(
          SubscribeRequest(start: .oldest), options: options)
        var all: [Event] = []
        for try await response in stream {
          all += response.events
          guard all.last?.sequence ?? 0 >= end else { continue }
          try note(all, of: worker)
          if let value = try value(all) { return value }
        }
      } catch let error as RPCError {
        // A connection that was lost, or spoilt: the log itself is read anew.
        if error.code == .unimplemented || deadline <= .now || Task.isCancelled { throw error }
      }
      // A log that ends without what is wanted would be read without a pause, and beyond the time.
      guard .now < deadline else {
        throw TestingError("not within \(limit): what is wanted of \(worker)")
      }
      try Task.checkCancellation()
    }
  }

  /// The number of the last event.
  private func end(of client: RPCClient, _ options: CallOptions) async throws -> Int64 {
    let stream = try await EventsClient(client).subscribe(
      SubscribeRequest(start: .new), options: options)
    for try await response in stream { return response.position?.sequence ?? 0 }
    return 0
  }

  private func note(_ all: [Event], of worker: String) throws(TestingError) {
    for (event, next) in zip(all, all.dropFirst()) where next.sequence != event.sequence + 1 {
      throw TestingError("event #\(next.sequence) of \(worker) follows #\(event.sequence)")
    }
    let before = seen.withLock { seen in
      defer { seen[worker] = all }
      return seen[worker] ?? []
    }
    // What lies before the first is kept no longer, as its retention says; the newest is always
    // kept.
    guard let last = before.last else { return }
    guard let first = all.first, last.sequence <= all.last?.sequence ?? 0 else {
      throw TestingError("event #\(last.sequence) of \(worker) is lost")
    }
    for event in before where event.sequence >= first.sequence {
      guard all[Int(event.sequence - first.sequence)] == event else {
        throw TestingError("event #\(event.sequence) of \(worker) is another than it was")
      }
    }
  }
}

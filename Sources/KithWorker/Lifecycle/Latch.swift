/// An event that happens once and that one task waits for.
struct Latch: Sendable {
  private let stream: AsyncStream<Never>
  private let continuation: AsyncStream<Never>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  /// The event has happened.
  func open() { continuation.finish() }

  /// Returns when the event has happened; false when the task was cancelled before.
  func wait() async -> Bool {
    for await _ in stream {}
    return !Task.isCancelled
  }
}

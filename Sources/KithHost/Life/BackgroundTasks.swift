/// Work that the host waits for without its thread waiting: calls to workers, timers, pages.
///
/// The tasks run concurrently. They end with the host: `run()` cancels those that are left when
/// `finish()` was called.
struct BackgroundTasks: Sendable {
  typealias Body = @Sendable () async -> Void

  private let bodies: AsyncStream<Body>
  private let continuation: AsyncStream<Body>.Continuation

  init() {
    (bodies, continuation) = AsyncStream.makeStream()
  }

  /// Starts a task as soon as `run()` runs. A body that is added after `finish()` is never started.
  func add(_ body: @escaping Body) { continuation.yield(body) }

  /// Starts no further tasks and has `run()` return.
  func finish() { continuation.finish() }

  /// Runs the tasks until `finish()` is called.
  func run() async {
    await withDiscardingTaskGroup { group in
      for await body in bodies { group.addTask { await body() } }
      group.cancelAll()
    }
  }
}

import KithRPC
import Synchronization

/// What parts of the SDK and the worker's own code add to a worker: tasks that run while it is
/// ready, services for this machine only, and what is done when it is told to end and when it has
/// ended.
final class BackgroundTasks: Sendable {
  typealias Work = @Sendable () async -> Void

  private let added = Mutex<[ServiceDefinition]>([])
  private let leaving = Mutex<[@Sendable () -> Void]>([])
  private let closings = Mutex<[Work]>([])
  private let work: AsyncStream<Work>
  private let continuation: AsyncStream<Work>.Continuation

  init() {
    (work, continuation) = AsyncStream.makeStream()
  }

  /// The services.
  var services: [ServiceDefinition] { added.withLock { $0 } }

  /// Adds a service.
  func add(_ service: ServiceDefinition) { added.withLock { $0.append(service) } }

  /// Has the body run when the worker is told to end.
  func add(whenLeaving body: @escaping @Sendable () -> Void) {
    leaving.withLock { $0.append(body) }
  }

  /// The worker was told to end.
  func leave() {
    for body in leaving.withLock(\.self) { body() }
  }

  /// Has the body run when the worker's calls and its tasks have ended.
  func add(whenEnded body: @escaping Work) { closings.withLock { $0.append(body) } }

  /// All has ended: runs what is to be run then, for no longer than that.
  func close(within patience: Duration) async {
    let closings = closings.withLock(\.self)
    guard !closings.isEmpty else { return }
    let (ended, continuation) = AsyncStream<Never>.makeStream()
    let closing = Task {
      for closing in closings { await closing() }
      continuation.finish()
    }
    let timer = Task {
      try? await Task.sleep(for: patience)
      continuation.finish()
    }
    for await _ in ended {}
    timer.cancel()
    closing.cancel()
  }

  /// Starts a task as soon as ``run()`` runs.
  func add(_ body: @escaping Work) { continuation.yield(body) }

  /// Runs the tasks, concurrently, until this one is cancelled.
  func run() async {
    await withDiscardingTaskGroup { group in
      for await body in work { group.addTask { await body() } }
      group.cancelAll()
    }
  }
}

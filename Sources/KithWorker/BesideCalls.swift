import KithRPC
import Synchronization

/// What a worker has beside the services that it hands to the SDK: more services, on this machine only, and work that goes on
/// while it is ready.
final class BesideCalls: Sendable {
  typealias Work = @Sendable () async -> Void

  private let added = Mutex<[ServiceDefinition]>([])
  private let farewells = Mutex<[@Sendable () -> Void]>([])
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

  /// Has something done when the worker is told to end.
  func add(farewell: @escaping @Sendable () -> Void) { farewells.withLock { $0.append(farewell) } }

  /// The worker was told to end.
  func leave() {
    for farewell in farewells.withLock(\.self) { farewell() }
  }

  /// Has something done when the worker's calls have ended, and the work beside them.
  func add(closing: @escaping Work) { closings.withLock { $0.append(closing) } }

  /// All has ended: does what is to be done then, and waits for it, but not for longer than the process may take.
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

  /// Has something done as soon as ``run()`` runs.
  func add(_ body: @escaping Work) { continuation.yield(body) }

  /// Does what there is to do, each thing beside the others, until the task is cancelled.
  func run() async {
    await withDiscardingTaskGroup { group in
      for await body in work { group.addTask { await body() } }
      group.cancelAll()
    }
  }
}

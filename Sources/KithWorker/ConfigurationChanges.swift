import KithJSON
import KithRPC
import Synchronization

/// Which changes of its configuration a worker takes over while it runs, and how.
final class ConfigurationChanges: Sendable {
  private struct Acceptance {
    var keys: [String] = []
    var take: @Sendable (WorkerConfiguration) async throws -> Void = { _ in }
  }

  private let acceptance = Mutex(Acceptance())

  /// The keys whose values may change.
  var keys: [String] { acceptance.withLock { $0.keys } }

  /// From now on these keys may change.
  func accept(
    _ keys: [String], _ take: @escaping @Sendable (WorkerConfiguration) async throws -> Void
  ) {
    acceptance.withLock { $0 = Acceptance(keys: keys, take: take) }
  }

  /// Has the worker take over a configuration in place of another.
  /// - Throws: FAILED_PRECONDITION when a key differs that may not, INVALID_ARGUMENT when the
  ///   worker refuses a value.
  func take(_ new: WorkerConfiguration, over old: WorkerConfiguration) async throws {
    let acceptance = acceptance.withLock { $0 }
    let fixed = Set(new.object.names + old.object.names)
      .filter { new.object[$0] != old.object[$0] && !acceptance.keys.contains($0) }.sorted()
    guard !acceptance.keys.isEmpty, fixed.isEmpty else {
      let what = fixed.isEmpty ? "a configuration" : fixed.joined(separator: ", ")
      throw RPCError(
        .failedPrecondition,
        "the worker does not take over \(what) while it runs; restart it to change that")
    }
    do {
      try await acceptance.take(new)
    } catch let error as ConfigurationError {
      throw RPCError.invalidArgument(field: "configuration.\(error.key)", error.reason)
    }
  }
}

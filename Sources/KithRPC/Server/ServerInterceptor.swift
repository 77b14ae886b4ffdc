/// Stands around every handler of a server, of whatever shape: refuses calls, adds to what they
/// know, or watches how they go.
///
/// Several stand in the order in which the server was given them: the first one is the outermost.
/// They run on the handler's task, within its deadline, and are cancelled with it.
public protocol ServerInterceptor: Sendable {
  /// Answers the call by calling `next`, once, or refuses it by throwing.
  ///
  /// What `next` throws is what the handler threw; ``RPCError/init(ofHandler:)`` says what the
  /// caller will see of it.
  func intercept<Answer: Sendable>(
    _ context: CallContext, _ next: () async throws -> Answer
  ) async throws -> Answer
}

extension [any ServerInterceptor] {
  /// Runs `handler` within all of these from `index` on.
  func run<Answer: Sendable>(
    from index: Int = 0, _ context: CallContext, _ handler: () async throws -> Answer
  ) async throws -> Answer {
    guard index < count else { return try await handler() }
    return try await self[index].intercept(context) {
      try await run(from: index + 1, context, handler)
    }
  }
}

extension RPCError {
  /// What a caller sees of an error that a handler threw: an ``RPCError``, and what says how it is
  /// one, as it is, a cancellation as CANCELLED, and of anything else nothing but UNKNOWN.
  public init(ofHandler error: any Error) {
    switch error {
    case let refusal as CallRefusal: self = refusal.error
    case let error as RPCError where error.code != .ok: self = error
    case let error as any RPCErrorConvertible: self = error.rpcError
    case is CancellationError:
      self.init(.cancelled, "the call was cancelled before the handler answered")
    default:
      self.init(
        .unknown, "the worker failed in a way that it did not name; see its log", cause: error)
    }
  }
}

/// An error of a library that handlers use, which says itself what a caller sees of it.
public protocol RPCErrorConvertible: Error {
  /// The error as a caller sees it. Never OK, its message never personal.
  var rpcError: RPCError { get }
}

/// An error of the server itself on the handler's path: its details are about this very call, where
/// those of an ``RPCError`` that a handler throws may be about a call that the handler made.
struct CallRefusal: Error {
  var error: RPCError
}

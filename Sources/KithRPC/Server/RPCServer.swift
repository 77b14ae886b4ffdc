/// Answers calls: hands each to its service's handler, in a task of its own.
public final class RPCServer: Sendable {
  /// A server of the given services.
  ///
  /// `authorize` decides who may connect; by default only processes of the same user id.
  /// `unmappedError` is told of each error that a handler threw and that was no ``RPCError``: the
  /// caller sees only UNKNOWN, so this is where it is logged.
  public init(
    services: [ServiceDefinition], limits: RPCLimits = .standard,
    authorize: @escaping @Sendable (PeerIdentity) -> Bool = RPCServer.sameUser,
    unmappedError: @escaping @Sendable (MethodDescriptor, any Error) -> Void = { _, _ in }
  ) {
  }

  /// Serves these as well from now on, on all connections. A worker begins with the services of the SDK, which the host
  /// leads it by, and adds its own when it has been configured; until then they are answered UNIMPLEMENTED. May be called
  /// at any time, also while calls are in progress. Of two services of one name the first stands.
  public func add(_ services: [ServiceDefinition]) {}

  /// Lets in the processes of this process's own user id, and nobody else: not even root.
  public static let sameUser: @Sendable (PeerIdentity) -> Bool = { $0.uid == currentUserID() }

  /// Starts to accept connections; returns when clients can connect. A server may listen in several
  /// places.
  public func start(on listener: any Listener) throws(RPCError) {}

  /// Accepts connections until the server is closed, or the task is cancelled (which closes it).
  public func serve(on listener: any Listener) async throws(RPCError) {}

  /// How many calls run, a handler that has not yet returned after its call's end included.
  public var callsInProgress: Int { 0 }

  /// How many calls have ended since the start.
  public var callsEnded: UInt64 { 0 }

  /// Accepts no more connections and turns new calls away with UNAVAILABLE; those in progress go on.
  public func beginGracefulShutdown() {}

  /// Returns when no call is in progress and all answers are written. Meant for after
  /// ``beginGracefulShutdown()``; how long to wait is the caller's decision, who cancels the task.
  public func waitUntilIdle() async {}

  /// Ends everything now: cancels the handlers, answers their calls UNAVAILABLE, closes all
  /// connections.
  public func close() {}
}

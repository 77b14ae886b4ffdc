/// Answers calls: hands each to its service's handler, in a task of its own.
///
/// Handlers start on ``CallExecutor``: a quick one answers on the thread that read its request, and
/// one that takes long gives way to the others. A handler's task is cancelled when its caller gives
/// up, when the deadline passes, and when the connection or the server ends.
public final class RPCServer: Sendable {
  /// Tells who makes a call, from what it shows in its metadata, and refuses it where the method is
  /// not for that caller. Runs on the thread that reads, so it must be quick.
  public typealias Identify =
    @Sendable (MethodDescriptor, Metadata, PeerIdentity) throws(RPCError) -> Principal

  let core: Core

  /// A server of the given services.
  ///
  /// `interceptors` stand around every handler, the first one outermost. `authorize` decides who
  /// may connect; by default only processes of the same user id. `identify` tells who makes a call;
  /// by default everybody is a stranger, and nobody is refused. `unmappedError` is told of each
  /// error that a handler threw and that was no ``RPCError``: the caller sees only UNKNOWN, so this
  /// is where it is logged. `brokenConnection` is told of each connection that was refused, and of
  /// each that ended otherwise than by either side's will. `budget` bounds the memory of requests;
  /// a process with several servers gives all of them one. `awaitsServices` says that more services
  /// are to come: until ``finishServices()`` a call of one that is not there is answered
  /// UNAVAILABLE and not UNIMPLEMENTED.
  public init(
    services: [ServiceDefinition], limits: RPCLimits = .standard,
    budget: MessageBudget = MessageBudget(), awaitsServices: Bool = false,
    interceptors: [any ServerInterceptor] = [],
    authorize: @escaping @Sendable (PeerIdentity) -> Bool = RPCServer.sameUser,
    identify: @escaping Identify = RPCServer.everybodyIsAStranger,
    unmappedError: @escaping @Sendable (MethodDescriptor, any Error) -> Void = { _, _ in },
    brokenConnection: @escaping @Sendable (PeerIdentity, RPCError) -> Void = { _, _ in }
  ) {
    core = Core(
      services: services, limits: limits, budget: budget, awaitsServices: awaitsServices,
      interceptors: interceptors, authorize: authorize, identify: identify,
      unmappedError: unmappedError, brokenConnection: brokenConnection)
  }

  deinit { core.close() }

  /// Serves these as well from now on, on all connections.
  ///
  /// A worker begins with the services of the SDK, which the host leads it by, and adds its own
  /// when it has been started. May be called at any time, also while calls are in progress. Of two
  /// services of one name the first stands.
  public func add(_ services: [ServiceDefinition]) { core.add(services) }

  /// All services have been added: a call of another one is answered UNIMPLEMENTED from now on.
  public func finishServices() { core.finishServices() }

  /// Lets in the processes of this process's own user id and of root, whose host may run workers as
  /// an account of their own. From another machine, those with a certificate.
  public static let sameUser: @Sendable (PeerIdentity) -> Bool = {
    $0.uid == currentUserID() || $0.uid == 0 || $0.hasCertificate
  }

  /// Takes every caller for a stranger and refuses none: a server whose handlers decide by
  /// themselves.
  public static let everybodyIsAStranger: Identify = { _, _, _ throws(RPCError) in .stranger }

  /// Starts to accept connections; returns when clients can connect. A server may listen in several
  /// places, and holds each listener until it shuts down.
  public func start(on listener: any Listener) throws(RPCError) {
    try core.start(on: listener)
  }

  /// Accepts connections until the server is closed, or the task is cancelled, which closes it.
  public func serve(on listener: any Listener) async throws(RPCError) {
    try core.start(on: listener)
    await withTaskCancellationHandler {
      await core.waitUntilClosed()
    } onCancel: {
      core.close()
    }
  }

  /// How many calls run, a handler that has not yet returned after its call's end included.
  public var callsInProgress: Int { core.callsInProgress }

  /// How many calls have ended since the start.
  public var callsEnded: UInt64 { core.callsEnded }

  /// Tells all callers, those who come later too, that they should make their next calls elsewhere;
  /// calls are still taken. Meant for before ``beginGracefulShutdown()``, so that no call is turned
  /// away that was on its way.
  public func announceLeaving() { core.announceLeaving() }

  /// Accepts no more connections and turns new calls away with UNAVAILABLE, telling that they were
  /// not started; those in progress go on.
  public func beginGracefulShutdown() { core.beginGracefulShutdown() }

  /// Returns when no call is in progress, or no more than `others`, and all answers are written, or
  /// when the task is cancelled. Meant for after ``beginGracefulShutdown()``; how long to wait is
  /// the caller's decision.
  public func waitUntilIdle(besides others: Int = 0) async {
    await core.waitUntilIdle(besides: others)
  }

  /// Ends everything now: accepts no more, cancels the handlers and closes all connections, so that
  /// the calls in progress fail with UNAVAILABLE.
  public func close() { core.close() }
}

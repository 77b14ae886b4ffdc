import KithIdentity
import KithRPC
import KithTelemetry
import Logging
import Synchronization
import WorkerContract

/// The servers of a worker: the one that its host and this machine's callers reach, and, where the
/// manifest says so, one for other machines. What is done to one is done to both.
final class WorkerServers: Sendable {
  private static let interceptors: [any ServerInterceptor] = [
    RedactingInterceptor(), TracingInterceptor(),
  ]

  private let local: RPCServer
  private let remote = Mutex<RemoteListener?>(nil)
  private let remoteIsOpen = Latch()
  private let remoteListener: NetworkListener?
  /// The memory for requests, of both servers together.
  private let budget: MessageBudget
  private let connectionLog: ConnectionLog
  private let logger: Logger

  /// Servers without a service; nothing is listened on yet.
  init(
    for record: LaunchRecord, logger: Logger,
    authorize: @escaping @Sendable (PeerIdentity) -> Bool
  ) {
    self.logger = logger
    remoteListener = record.listen
    connectionLog = ConnectionLog(logger)
    budget = MessageBudget(memoryLimit: record.memoryLimitBytes)
    let verifier = CallerVerifier(
      of: record.identity, secret: record.secret, passKey: record.passKey)
    local = RPCServer(
      services: [], limits: .connections(inPartOfOpenFiles: 0.5), budget: budget,
      awaitsServices: true, interceptors: Self.interceptors, authorize: authorize,
      identify: { method, metadata, _ throws(RPCError) in
        try verifier.identify(method, metadata)
      },
      unmappedError: connectionLog.handlerFailed, brokenConnection: connectionLog.connectionBroke)
  }

  /// Listens for the host and this machine's callers.
  func start(on listener: any Listener) throws(RPCError) { try local.start(on: listener) }

  /// Serves more services to this machine's callers.
  func add(_ services: [ServiceDefinition]) { local.add(services) }

  /// No more services are added: a call of an unknown one is refused from now on.
  func finishServices() { local.finishServices() }

  /// Serves these to other machines, where the manifest says so.
  func openRemote(_ services: [ServiceDefinition]) throws(RPCError) {
    guard let remoteListener else { return }
    let server = RemoteListener(
      remoteListener, services: services, budget: budget, interceptors: Self.interceptors,
      logger: logger, log: connectionLog)
    try server.open()
    remote.withLock { $0 = server }
    remoteIsOpen.open()
  }

  /// Takes over renewed certificates, from when there are any until the task is cancelled.
  func watchCertificates() async {
    if await remoteIsOpen.wait() { await openedRemote?.watchCertificates() }
  }

  private var openedRemote: RemoteListener? { remote.withLock(\.self) }

  /// Tells callers to go elsewhere with their next calls.
  func announceLeaving() {
    local.announceLeaving()
    openedRemote?.announceLeaving()
  }

  /// Refuses new calls; those in progress go on.
  func beginGracefulShutdown() {
    local.beginGracefulShutdown()
    openedRemote?.beginGracefulShutdown()
  }

  /// Returns when no call is in progress.
  func waitUntilIdle() async {
    await local.waitUntilIdle()
    await openedRemote?.waitUntilIdle()
  }

  /// Returns when no call of this machine is in progress but that many.
  func waitUntilAnswered(besides calls: Int) async {
    await local.waitUntilIdle(besides: calls)
  }

  /// Ends all connections now.
  func close() {
    local.close()
    openedRemote?.close()
  }
}

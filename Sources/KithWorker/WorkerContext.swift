import KithClient
public import KithRPC
import KithTelemetry
public import Logging
package import WorkerContract

/// What a worker is told when it starts.
public struct WorkerContext: Sendable {
  /// The product that the worker runs for: `boomer-buddy`.
  public let product: String
  /// The worker's name in the product: `risk-engine`.
  public let worker: String
  /// Counts the processes under this name, from 1.
  public let generation: UInt64
  /// The worker's configuration.
  public let configuration: WorkerConfiguration
  /// The folder of the worker's plugin, with its resources. Only to be read.
  public let pluginDirectory: String
  /// The worker's own folder for what it keeps; `nil` in a product whose posture is ephemeral,
  /// where nothing is kept.
  public let stateDirectory: String?
  /// Where the host's control service is, an nng URL; `nil` when the worker runs without a host.
  public let hostAddress: String?
  private let parts: WorkerParts
  private let host: HostConnection?
  private let hostIdentity: HostIdentity

  /// What the worker's calls show to the host, for a test that shows it where it should not count.
  package var proofs: [Metadata.Entry] { hostIdentity.credentials }

  /// A context; tests make their own.
  public init(
    product: String = "test", worker: String = "test", generation: UInt64 = 1,
    configuration: WorkerConfiguration = WorkerConfiguration(), pluginDirectory: String = "/",
    stateDirectory: String? = nil, hostAddress: String? = nil,
    logger: Logger = Logger(label: "kith.worker"), health: WorkerHealth? = nil,
    clock: WorkerClock = WorkerClock()
  ) {
    self.init(
      product: product, worker: worker, generation: generation, configuration: configuration,
      pluginDirectory: pluginDirectory, stateDirectory: stateDirectory, hostAddress: hostAddress,
      hostIdentity: .none,
      parts: WorkerParts(logger: logger, health: health ?? WorkerHealth(), clock: clock))
  }

  init(
    product: String, worker: String, generation: UInt64, configuration: WorkerConfiguration,
    pluginDirectory: String, stateDirectory: String?, hostAddress: String?,
    hostIdentity: HostIdentity, parts: WorkerParts
  ) {
    self.product = product
    self.worker = worker
    self.generation = generation
    self.configuration = configuration
    self.pluginDirectory = pluginDirectory
    self.stateDirectory = stateDirectory
    self.hostAddress = hostAddress
    self.hostIdentity = hostIdentity
    self.parts = parts
    host = hostAddress.map {
      HostConnection(
        product: product, address: $0, identity: hostIdentity,
        interceptors: [
          CallerInterceptor(actsForUsers: hostIdentity.mayHavePasses), TracingInterceptor(),
        ])
    }
  }

  /// Where the worker logs. Nothing personal, never the content of a request.
  public var logger: Logger { parts.logger }
  /// What the worker says about its own health.
  public var health: WorkerHealth { parts.health }
  /// What time it is, and what does work when it is due.
  public var clock: WorkerClock { parts.clock }

  /// The worker's sealing keys; empty where nothing is kept.
  package var handedKeys: HandedKeys { parts.handedKeys }
  /// How the worker's store is kept.
  package var storeOrders: StoreOrders { parts.storeOrders }
  /// Events published and consumed so far; virtual time waits for the two to match.
  package var eventStandings: EventStandings { parts.eventStandings }

  /// What the manifests let this worker do on the network.
  public var grants: WorkerGrants { .ofThisProcess }

  /// The programs of a person that the manifests let this worker see and signal.
  public var programs: GuardedPrograms { GuardedPrograms(host?.host) }

  /// Lets changed values of these keys be taken over while the worker runs; a change of any other
  /// key has the host start a new process. To be called before the closure of ``Worker/run(_:)``
  /// returns; the last call for a worker stands.
  ///
  ///     context.onConfigurationChange(of: ["label_high"]) { configuration in
  ///       try engine.use(Settings(configuration))
  ///     }
  ///
  /// - Parameter take: called with the whole new configuration, for one change at a time. It throws
  ///   ``ConfigurationError`` for values that it cannot use, and must then have changed nothing.
  public func onConfigurationChange(
    of keys: [String], take: @escaping @Sendable (WorkerConfiguration) async throws -> Void
  ) {
    parts.configurationChanges.accept(keys, take)
  }

  /// Runs a task in the background from when the worker is ready until it ends. The task is
  /// cancelled then, and must end soon. To be called before the closure of ``Worker/run(_:)``
  /// returns, or later.
  public func runInBackground(_ body: @escaping @Sendable () async -> Void) {
    parts.backgroundTasks.add(body)
  }

  /// Serves a service of the SDK's own, to callers on this machine only. To be called before the
  /// closure of ``Worker/run(_:)`` returns.
  package func serveInternally(_ service: ServiceDefinition) {
    parts.backgroundTasks.add(service)
  }

  /// Has something done at the moment that the worker is told to end, when callers have been told
  /// that it leaves: what would go on for ever is to end then. To be called before the closure of
  /// ``Worker/run(_:)`` returns.
  package func whenLeaving(_ body: @escaping @Sendable () -> Void) {
    parts.backgroundTasks.add(whenLeaving: body)
  }

  /// Has the body run when the worker's calls and background tasks have ended, before its process
  /// leaves: for two seconds at most. To be called before the closure of ``Worker/run(_:)``
  /// returns.
  package func whenEnded(_ body: @escaping @Sendable () async -> Void) {
    parts.backgroundTasks.add(whenEnded: body)
  }

  /// A client of whichever worker of the product serves a service, by the service's full name; the
  /// same one each time.
  ///
  ///     let risk = RiskEngineClient(try context.client(ofService: "kith.risk.v1.RiskEngine"))
  ///
  /// It connects when it is first used, and finds the worker again when that was replaced. A call
  /// that is made with it while a handler runs has no more time than is left of the handler's call,
  /// carries on its trace, is in the name of whoever called the handler, and is cancelled with it.
  /// Name the service in `requires` of `plugin.yaml`, so that the host starts its worker first.
  /// - Throws: FAILED_PRECONDITION for a worker without a host.
  public func client(ofService name: String) throws(RPCError) -> RPCClient {
    guard let host else {
      throw RPCError(
        .failedPrecondition, "this worker runs without a host and cannot find the worker of \(name)"
      )
    }
    return host.service(named: name)
  }
}

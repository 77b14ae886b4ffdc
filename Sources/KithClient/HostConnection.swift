public import HostContract
public import KithRPC
import KithTransportNng
import Synchronization

/// The way into a running product: its host's control service, and through it every worker.
///
/// ```swift
/// let places = try ProductPlaces(product: "boomer-buddy", environment: environment)
/// let connection = try await HostConnection.open(
///   product: places.product, address: places.controlAddress)
/// let status = try await connection.host.getStatus(GetStatusRequest())
/// let risk = RiskEngineClient(connection.worker(named: "risk-engine"))
/// let answer = try await risk.analyze(
///   request, options: CallOptions(timeout: .seconds(5), waitForReady: true))
/// ```
/// Calls go straight to the worker; the host only says where it is. When a worker is replaced, its
/// client asks the host for the next generation by itself; calls made with `waitForReady` wait for
/// it, others fail with UNAVAILABLE meanwhile.
public final class HostConnection: Sendable {
  /// The control service, for calls by name.
  public let client: RPCClient

  private let interceptors: [any ClientInterceptor]
  private let workers = Mutex<[HostResolver.Target: RPCClient]>([:])

  /// A connection that connects when it is first used.
  /// - Parameters:
  ///   - product: the product's name, for errors.
  ///   - address: the address of its control service.
  ///   - identity: how this process proves who it is. Defaults to an operator, where it can read
  ///     the operator's token.
  ///   - interceptors: what the calls of its workers pass, the first one first.
  public convenience init(
    product: String, address: String, identity: HostIdentity? = nil,
    interceptors: [any ClientInterceptor] = []
  ) {
    self.init(
      connector: HostConnector(
        product: product, address: address, connector: NngConnector(address: address)),
      identity: identity ?? .operator(at: address), interceptors: interceptors)
  }

  init(
    connector: some Connector, identity: HostIdentity = .none,
    interceptors: [any ClientInterceptor] = []
  ) {
    client = RPCClient(connector: IdentifiedConnector(connector: connector, identity: identity))
    let passes = identity.mayHavePasses ? [PassInterceptor(host: HostClient(client))] : []
    self.interceptors = interceptors + passes
  }

  /// A connection to the running host of a product.
  /// - Parameters:
  ///   - product: the product's name, for errors.
  ///   - address: the address of its control service, an nng URL: `ProductPlaces.controlAddress`.
  /// - Throws: UNAVAILABLE when no host is running there, PERMISSION_DENIED when it is somebody
  ///   else's.
  public static func open(
    product: String, address: String
  ) async throws(RPCError) -> HostConnection {
    let connector = HostConnector(
      product: product, address: address, connector: NngConnector(address: address))
    // Connected now, so that whoever holds a connection had a host.
    let first = try await connector.connect(ConnectRequest())
    return HostConnection(
      connector: ConnectedConnector(first, then: connector), identity: .operator(at: address))
  }

  /// The control service.
  public var host: HostClient { HostClient(client) }

  /// A client of a worker by its name in the product, always of the generation that serves. The
  /// same one each time.
  public func worker(named name: String) -> RPCClient {
    client(of: .worker(name))
  }

  /// Where a worker is that is ready now, with a client that begins there: one question to the host
  /// for callers that make one call.
  ///
  /// - Throws: UNAVAILABLE when it is not ready, NOT_FOUND when the product has none of that name.
  package func locate(
    worker name: String, options: CallOptions
  ) async throws(RPCError) -> (client: RPCClient, address: String) {
    let response = try await host.resolve(
      ResolveRequest(target: .worker(name)), options: options)
    return (client(of: .worker(name), answered: ResolvedTarget(response)), response.address)
  }

  /// A client of whichever worker serves a service, by the service's full name. The same one each
  /// time.
  public func service(named name: String) -> RPCClient {
    client(of: .service(name))
  }

  /// Ends the connection and those of the clients that came from it; their calls in progress fail
  /// with UNAVAILABLE.
  public func close() {
    let clients = workers.withLock { workers in
      defer { workers = [:] }
      return Array(workers.values)
    }
    for client in clients { client.close() }
    client.close()
  }

  private func client(
    of target: HostResolver.Target, answered: ResolvedTarget? = nil
  ) -> RPCClient {
    workers.withLock { workers in
      if let client = workers[target] { return client }
      let resolver = HostResolver(host: host, target: target, answered: answered)
      let client = RPCClient(
        connector: NngResolvingConnector(resolver: resolver), interceptors: interceptors)
      workers[target] = client
      return client
    }
  }
}

/// A connector whose first connection has been made already.
private final class ConnectedConnector: Connector {
  private let first: Mutex<EstablishedConnection?>
  private let connector: any Connector

  init(_ first: EstablishedConnection, then connector: any Connector) {
    self.first = Mutex(first)
    self.connector = connector
  }

  deinit {
    first.withLock { $0?.stream.close() }
  }

  func connect(_ request: ConnectRequest) async throws(RPCError) -> EstablishedConnection {
    let first = first.withLock { first in
      defer { first = nil }
      return first
    }
    if let first { return first }
    return try await connector.connect(request)
  }
}

/// A connector whose connections show the host who calls.
private final class IdentifiedConnector: Connector {
  private let connector: any Connector
  private let identity: HostIdentity
  /// What was shown last: a token whose file somebody has removed is still the host's.
  private let shown = Mutex<[Metadata.Entry]>([])

  init(connector: any Connector, identity: HostIdentity) {
    self.connector = connector
    self.identity = identity
  }

  func connect(_ request: ConnectRequest) async throws(RPCError) -> EstablishedConnection {
    var connection = try await connector.connect(request)
    _ = credentials
    connection.credentials = { [self] in credentials }
    return connection
  }

  private var credentials: [Metadata.Entry] {
    let found = identity.credentials
    return shown.withLock { shown in
      if !found.isEmpty { shown = found }
      return shown
    }
  }
}

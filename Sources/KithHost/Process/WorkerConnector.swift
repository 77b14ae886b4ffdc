import IdentityContract
import KithIdentity
import KithRPC
import KithSupervision
import KithTransportNng

/// Connects the host to one process of a worker: to that process and no other, and as the host.
struct WorkerConnector: Connector {
  private let connector: NngConnector
  private let pids: Set<Int32>
  private let credentials: [Metadata.Entry]
  private let incarnation: Incarnation

  /// A connector to an incarnation.
  /// - Parameters:
  ///   - pids: the processes that may listen at the address.
  ///   - secret: the incarnation's secret.
  init(
    to incarnation: Incarnation, of product: String, address: String, pids: Set<Int32>,
    secret: [UInt8]
  ) {
    self.incarnation = incarnation
    self.pids = pids
    // Which process it is says more than whose.
    connector = NngConnector(address: address, authorize: { _ in true })
    let ticket = try? TicketKey(secret: secret).issue(
      TicketStatement(
        product: product, callee: incarnation.worker, calleeGeneration: incarnation.generation,
        caller: .host(HostCaller()), expiresAtBootMs: .max))
    credentials = ticket.map { [.init(key: ProofKeys.ticket, value: .binary($0))] } ?? []
  }

  func connect(_ request: ConnectRequest) async throws(RPCError) -> EstablishedConnection {
    var connection = try await connector.connect(request)
    guard let pid = connection.stream.peer.pid, pids.contains(pid) else {
      connection.stream.close()
      throw RPCError(
        .permissionDenied,
        "what listens on the socket of \(incarnation) is another process, "
          + "\(connection.stream.peer.pid.map { "pid \($0)" } ?? "whose pid is not known")")
    }
    connection.credentials = { [credentials] in credentials }
    return connection
  }
}

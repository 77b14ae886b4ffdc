import KithRPC
import Synchronization

/// A connector that counts its connections.
final class CountingConnector: Connector {
  /// How many were made.
  let connections = Atomic(0)
  private let inner: any Connector

  init(_ inner: any Connector) { self.inner = inner }

  func connect(_ request: ConnectRequest) async throws(RPCError) -> EstablishedConnection {
    let connection = try await inner.connect(request)
    connections.add(1, ordering: .relaxed)
    return connection
  }
}

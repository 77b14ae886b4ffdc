public import KithRPC

/// Connects to a worker whose address a resolver knows: after a death it asks for a newer incarnation
/// than the dead one.
public struct NngResolvingConnector: Connector {
  private let resolver: any Resolver

  /// A connector that asks `resolver`.
  public init(resolver: any Resolver) { self.resolver = resolver }

  /// Opens a stream to where the resolver says.
  public func connect(_ request: ConnectRequest) async throws(RPCError) -> EstablishedConnection {
    throw RPCError(.unavailable, "there is no connection")
  }
}

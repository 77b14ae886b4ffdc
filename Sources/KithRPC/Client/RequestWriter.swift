public import KithWire

/// Sends the caller's messages of one call, in order.
///
/// A worker that stops reading holds the writer back: ``write(_:)`` waits until there is credit for
/// one more message.
public struct RequestWriter<Message: WireMessage>: Sendable {
  private let stream: ClientStream
  private let maximumMessageBytes: Int

  init(_ stream: ClientStream, limits: RPCLimits) {
    self.stream = stream
    self.maximumMessageBytes = limits.maximumMessageBytes
  }

  /// Sends a message. Returns when it is on its way, which does not say that the worker has read
  /// it.
  ///
  /// - Throws: What ended the call; FAILED_PRECONDITION after ``finish()`` or when the worker has
  ///   ended the call OK and reads no more; RESOURCE_EXHAUSTED for a message over the limit, which
  ///   leaves the call as it was.
  public func write(_ message: Message) async throws(RPCError) {
    let buffer = try message.encodedRequest(headroom: 48)
    guard buffer.count <= maximumMessageBytes else {
      throw RPCError(
        .resourceExhausted,
        "the message has \(buffer.count) bytes; the limit is \(maximumMessageBytes)")
    }
    try await stream.write(buffer)
  }

  /// Says that no message follows. May be called more than once.
  public func finish() { stream.finishWriting() }
}

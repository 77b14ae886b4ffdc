import KithWire

/// A streaming call on encoded messages. It is cancelled when it is released before its end.
public struct EncodedCall: Sendable {
  private let stream: ClientStream

  init(_ stream: ClientStream) { self.stream = stream }

  /// Sends a message; waits while the worker is not ready for it. Throws what ended the call.
  public func write(_ message: [UInt8]) async throws(RPCError) {
    var buffer = WireBuffer(headroom: 48, capacity: message.count)
    buffer.append(message)
    try await stream.write(buffer)
  }

  /// Says that no message follows.
  public func finish() { stream.finishWriting() }

  /// The worker's next message; nil when it has ended the call OK. One task reads at a time.
  public func read() async throws(RPCError) -> [UInt8]? {
    try await stream.read().map { Array($0) }
  }

  /// Gives the call up.
  public func cancel() { stream.cancel() }

  /// What the worker has told before its first message.
  public var metadata: Metadata { stream.metadata }

  /// What the worker told at the end; empty before.
  public var trailers: Metadata { stream.trailers }
}

public import KithWire

/// The caller's messages of one call, in order; read by one task at a time.
///
///     func sum(_ samples: RequestStream<Sample>, context: CallContext) async throws -> Total {
///       for try await sample in samples { ... }
///     }
///
/// The sequence ends when the caller says that no message follows, and throws CANCELLED when the
/// call is over. A handler that stops reading holds the caller back: at most 1,024 messages and 256
/// KiB wait here.
public struct RequestStream<Message: WireMessage>: AsyncSequence, Sendable {
  /// What can end it early.
  public typealias Failure = RPCError

  private let read: @Sendable () async throws(RPCError) -> Message?

  init(_ stream: ServerStream) {
    read = { () async throws(RPCError) -> Message? in
      guard let bytes = try await stream.read() else { return nil }
      return try Message(decodingRequest: bytes)
    }
  }

  /// A stream of the messages that `next` answers, for a handler that is called without a
  /// connection (a test).
  public init(next: @escaping @Sendable () async throws(RPCError) -> Message?) { read = next }

  /// Reads on where the last iterator stopped.
  public func makeAsyncIterator() -> Iterator { Iterator(read: read) }

  /// Reads one message after the other.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let read: @Sendable () async throws(RPCError) -> Message?

    /// The next message; nil at the end.
    public mutating func next() async throws(RPCError) -> Message? { try await read() }

    /// The next message; nil at the end.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(RPCError) -> Message? {
      try await read()
    }
  }
}

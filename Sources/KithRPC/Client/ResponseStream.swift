public import KithWire

/// The worker's messages of one call, in order; read by one task at a time.
///
///     for try await reading in try await client.watch(request) { ... }
///
/// The sequence ends when the worker has ended the call OK, and throws the error that it ended with
/// otherwise, after the messages that came before. The call is cancelled when the stream is
/// released before its end, or when the task that reads is cancelled. A reader that stops holds the
/// worker back: at most 1,024 messages and 256 KiB wait here.
public struct ResponseStream<Message: WireMessage>: AsyncSequence, Sendable {
  /// What can end it early.
  public typealias Failure = RPCError

  private let stream: ClientStream

  init(_ stream: ClientStream) { self.stream = stream }

  /// What the worker told before its first message; empty until that is here.
  public var metadata: Metadata { stream.metadata }

  /// What the worker told after its last message; empty until the sequence has ended.
  public var trailers: Metadata { stream.trailers }

  /// Gives the call up.
  public func cancel() { stream.cancel() }

  /// Reads on where the last iterator stopped.
  public func makeAsyncIterator() -> Iterator { Iterator(stream: stream) }

  /// Reads one message after the other.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let stream: ClientStream

    /// The next message; nil at the end.
    public mutating func next() async throws(RPCError) -> Message? {
      guard let bytes = try await stream.read() else { return nil }
      return try Message(decodingAnswer: bytes)
    }

    /// The next message; nil at the end.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(RPCError) -> Message? {
      guard let bytes = try await stream.read() else { return nil }
      return try Message(decodingAnswer: bytes)
    }
  }
}

extension WireMessage {
  /// Decodes what a worker has sent.
  init(decodingAnswer bytes: ArraySlice<UInt8>) throws(RPCError) {
    do throws(WireError) {
      self = try Self(decoding: bytes)
    } catch {
      throw RPCError(
        .internal, "the worker's answer is not valid: \(error.message)",
        details: CallExecution.mayHaveRun.details, cause: error)
    }
  }

  /// Encodes what a worker is sent, with room in front.
  func encodedRequest(headroom: Int) throws(RPCError) -> WireBuffer {
    var buffer = WireBuffer(headroom: headroom, capacity: 512)
    do throws(WireError) {
      try encode(into: &buffer)
    } catch {
      throw RPCError(
        .invalidArgument, "the request cannot be encoded: \(error.message)", cause: error)
    }
    return buffer
  }
}

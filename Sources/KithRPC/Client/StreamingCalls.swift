public import KithWire

/// A call that sends many messages and is answered once.
///
///     let upload = try await client.upload()
///     for sample in samples { try await upload.requests.write(sample) }
///     let summary = try await upload.response()
public struct ClientStreamingCall<Request: WireMessage, Response: WireMessage>: Sendable {
  /// Sends the messages.
  public let requests: RequestWriter<Request>
  private let stream: ClientStream

  init(_ stream: ClientStream, limits: RPCLimits) {
    self.stream = stream
    requests = RequestWriter(stream, limits: limits)
  }

  /// Says that no message follows, and waits for the answer.
  public func response() async throws(RPCError) -> RPCResponse<Response> {
    requests.finish()
    guard let answer = try await stream.read() else { throw .answeredOtherThanOnce("no message") }
    let message = try Response(decodingAnswer: answer)
    guard try await stream.read() == nil else {
      stream.cancel()
      throw .answeredOtherThanOnce("more than one message")
    }
    return RPCResponse(message: message, metadata: stream.metadata, trailers: stream.trailers)
  }

  /// Gives the call up.
  public func cancel() { stream.cancel() }
}

/// A call that sends many messages and is answered many.
public struct BidirectionalCall<Request: WireMessage, Response: WireMessage>: Sendable {
  /// Sends the messages.
  public let requests: RequestWriter<Request>
  /// What the worker sends.
  public let responses: ResponseStream<Response>

  init(_ stream: ClientStream, limits: RPCLimits) {
    requests = RequestWriter(stream, limits: limits)
    responses = ResponseStream(stream)
  }

  /// Gives the call up.
  public func cancel() { responses.cancel() }
}

extension RPCError {
  fileprivate static func answeredOtherThanOnce(_ what: String) -> RPCError {
    RPCError(.internal, "the worker answered with \(what); it must be exactly one")
  }
}

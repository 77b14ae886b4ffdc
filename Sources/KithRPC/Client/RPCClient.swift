public import KithWire

/// Calls the methods of one worker.
///
/// Many calls share one connection, which is made when the first call needs it and made anew,
/// through the connector, when it is lost. A call that was lost with its connection fails with
/// UNAVAILABLE; ``RPCError/execution`` tells whether it may have been carried out. It is made again
/// by itself only when that can do no harm: when its contract says so (see ``RetryPolicy``), or
/// when it waits for readiness and a worker that is shutting down has refused it unstarted.
///
/// All functions may be called from any task. A task that waits for microseconds runs on
/// ``CallExecutor``.
public final class RPCClient: Sendable {
  private let core: Core
  private let limits: RPCLimits

  /// A client that gets its connections from `connector`, and whose calls pass `interceptors`, the
  /// first one first. Nothing is connected yet.
  public init(
    connector: any Connector, limits: RPCLimits = .standard,
    interceptors: [any ClientInterceptor] = []
  ) {
    self.limits = limits
    core = Core(connector: connector, limits: limits, interceptors: interceptors)
  }

  deinit { core.close() }

  /// Calls a unary method.
  ///
  /// Cancelling the task ends the call with CANCELLED and tells the worker to stop.
  public func unary<Request: WireMessage, Response: WireMessage>(
    _ method: MethodDescriptor, _ request: Request, options: CallOptions = .defaults
  ) async throws(RPCError) -> RPCResponse<Response> {
    let answer = try await core.unary(method, options) { options throws(RPCError) in
      try request.encodedRequest(headroom: Self.headroom(method, options))
    }
    return RPCResponse(
      message: try Response(decodingAnswer: answer.message), metadata: answer.metadata,
      trailers: answer.trailers)
  }

  /// Calls a method that answers with many messages. The stream is answered when the call is on its
  /// way.
  public func serverStreaming<Request: WireMessage, Response: WireMessage>(
    _ method: MethodDescriptor, _ request: Request, options: CallOptions = .defaults
  ) async throws(RPCError) -> ResponseStream<Response> {
    ResponseStream(
      try await openStream(method, options) { options throws(RPCError) in
        try request.encodedRequest(headroom: Self.headroom(method, options))
      })
  }

  /// Calls a method that takes many messages and answers with one.
  public func clientStreaming<Request: WireMessage, Response: WireMessage>(
    _ method: MethodDescriptor, options: CallOptions = .defaults
  ) async throws(RPCError) -> ClientStreamingCall<Request, Response> {
    ClientStreamingCall(try await openStream(method, options) { _ in nil }, limits: limits)
  }

  /// Calls a method that takes many messages and answers with many, in whatever order the two agree
  /// on.
  public func bidirectional<Request: WireMessage, Response: WireMessage>(
    _ method: MethodDescriptor, options: CallOptions = .defaults
  ) async throws(RPCError) -> BidirectionalCall<Request, Response> {
    BidirectionalCall(try await openStream(method, options) { _ in nil }, limits: limits)
  }

  /// Calls a unary method with a message that is already encoded and leaves the answer encoded.
  public func unary(
    _ method: MethodDescriptor, encodedRequest: [UInt8], options: CallOptions = .defaults
  ) async throws(RPCError) -> RPCResponse<[UInt8]> {
    let answer = try await core.unary(method, options) { options in
      var buffer = WireBuffer(
        headroom: Self.headroom(method, options), capacity: encodedRequest.count)
      buffer.append(encodedRequest)
      return buffer
    }
    return RPCResponse(
      message: Array(answer.message), metadata: answer.metadata, trailers: answer.trailers)
  }

  /// Calls a streaming method on encoded messages, for a service whose contract is not compiled in.
  /// `encodedRequest` is the one request of a method that takes one, and nil for the others.
  public func encodedStream(
    _ method: MethodDescriptor, encodedRequest: [UInt8]? = nil, options: CallOptions = .defaults
  ) async throws(RPCError) -> EncodedCall {
    EncodedCall(
      try await openStream(method, options) { options in
        guard let encodedRequest else { return nil }
        var buffer = WireBuffer(
          headroom: Self.headroom(method, options), capacity: encodedRequest.count)
        buffer.append(encodedRequest)
        return buffer
      })
  }

  private func openStream(
    _ method: MethodDescriptor, _ options: CallOptions,
    _ encode: (CallOptions) throws(RPCError) -> WireBuffer?
  ) async throws(RPCError) -> ClientStream {
    let (connection, id, ends) = try await core.openStream(method, options, encode)
    return ClientStream(connection: connection, id: id, client: self, ends: ends)
  }

  /// Ends the connection; calls in progress fail with UNAVAILABLE, and later ones too.
  public func close() { core.close() }

  /// Room for the envelope, so that the message never moves.
  private static func headroom(_ method: MethodDescriptor, _ options: CallOptions) -> Int {
    96 + method.fullName.utf8.count + options.traceparent.utf8.count + options.metadata.size
      + (options.idempotencyKey?.text.utf8.count ?? 0)
  }
}

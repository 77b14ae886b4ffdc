public import KithWire

/// Calls the methods of one worker.
///
/// Many calls share one connection, which is made when the first call needs it and made anew, through
/// the connector, when it is lost. A call that was lost with its connection fails with UNAVAILABLE and
/// is never sent again by the client: ``RPCError/execution`` tells whether it may have been carried
/// out. The one call that is moved to a new connection by itself is one that waits for readiness and
/// that a worker which is shutting down has refused unstarted.
///
/// All functions may be called from any task. A task that waits for microseconds runs on
/// ``CallExecutor``.
public final class RPCClient: Sendable {
  private let core: Core

  /// A client that gets its connections from `connector`. Nothing is connected yet.
  public init(connector: any Connector, limits: RPCLimits = .standard) {
    core = Core(connector: connector, limits: limits)
  }

  deinit { core.close() }

  /// Calls a unary method.
  ///
  /// Cancelling the task ends the call with CANCELLED and tells the worker to stop.
  public func unary<Request: WireMessage, Response: WireMessage>(
    _ method: MethodDescriptor, _ request: Request, options: CallOptions = .defaults
  ) async throws(RPCError) -> RPCResponse<Response> {
    let deadline = options.timeout.map { Moment.now.advanced(by: $0) }
    var buffer = WireBuffer(headroom: Self.headroom(method, options), capacity: 192)
    do throws(WireError) {
      try request.encode(into: &buffer)
    } catch {
      throw RPCError(
        .invalidArgument, "the request cannot be encoded: \(error.message)", cause: error)
    }
    let answer = try await core.perform(method, &buffer, options, deadline)
    do throws(WireError) {
      return RPCResponse(
        message: try Response(decoding: answer.message), metadata: answer.metadata,
        trailers: answer.trailers)
    } catch {
      throw RPCError(
        .internal, "the worker's answer is not valid: \(error.message)",
        details: CallExecution.mayHaveRun.details, cause: error)
    }
  }

  /// Calls a unary method with a message that is already encoded and leaves the answer encoded.
  public func unary(
    _ method: MethodDescriptor, encodedRequest: [UInt8], options: CallOptions = .defaults
  ) async throws(RPCError) -> RPCResponse<[UInt8]> {
    let deadline = options.timeout.map { Moment.now.advanced(by: $0) }
    var buffer = WireBuffer(
      headroom: Self.headroom(method, options), capacity: encodedRequest.count)
    buffer.append(encodedRequest)
    let answer = try await core.perform(method, &buffer, options, deadline)
    return RPCResponse(
      message: Array(answer.message), metadata: answer.metadata, trailers: answer.trailers)
  }

  /// Ends the connection; calls in progress fail with UNAVAILABLE, and later ones too.
  public func close() { core.close() }

  /// Room for the envelope, so that the message never moves.
  private static func headroom(_ method: MethodDescriptor, _ options: CallOptions) -> Int {
    96 + method.fullName.utf8.count + options.traceparent.utf8.count + options.metadata.size
  }
}

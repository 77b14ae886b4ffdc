public import KithWire

/// A method and the code that answers it.
public struct MethodImplementation: Sendable {
  /// What answers a call.
  enum Body: Sendable {
    /// Answers an encoded request: decodes it, runs the handler, and returns the encoded answer
    /// behind `headroom` bytes of room.
    case unary(
      @Sendable (_ request: ArraySlice<UInt8>, _ context: CallContext, _ headroom: Int) async throws
        -> WireBuffer)
    /// Reads and writes messages as it likes, and returns the encoded answer where there is only
    /// one.
    case streaming(@Sendable (ServerStream, CallContext) async throws -> WireBuffer?)
  }

  /// The method.
  public let descriptor: MethodDescriptor
  let body: Body
  /// Whether repeats of a call under an idempotency key are answered from a record.
  let recordsAnswers: Bool

  init(descriptor: MethodDescriptor, body: Body, recordsAnswers: Bool = false) {
    self.descriptor = descriptor
    self.body = body
    self.recordsAnswers = recordsAnswers
  }

  /// Checks that the promise which a caller asks for by an idempotency key can be kept.
  /// - Throws: INVALID_ARGUMENT for what is no key and for a streaming method, FAILED_PRECONDITION
  ///   where no record is kept.
  func check(_ key: String) throws(RPCError) {
    _ = try IdempotencyKey(key)
    guard descriptor.shape == .unary else { throw .keyOfStream }
    guard descriptor.idempotency == .unknown, !recordsAnswers else { return }
    throw RPCError(
      .failedPrecondition,
      "\(descriptor.fullName) cannot promise to be carried out once under an idempotency key, because "
        + "its worker keeps no record of answers; call without a key",
      details: CallExecution.notStarted.details)
  }

  /// A unary method: one request, one answer.
  ///
  /// A request that does not decode is answered INVALID_ARGUMENT before `handler` is called. An
  /// ``RPCError`` that `handler` throws crosses the wire as it is, cause apart; any other error
  /// becomes UNKNOWN and says nothing more.
  public static func unary<Request: WireMessage, Response: WireMessage>(
    _ descriptor: MethodDescriptor,
    _ handler: @escaping @Sendable (Request, CallContext) async throws -> Response
  ) -> MethodImplementation {
    MethodImplementation(
      descriptor: descriptor,
      body: .unary { request, context, headroom in
        let response = try await handler(try Request(decodingRequest: request), context)
        return try response.encodedAnswer(headroom: headroom)
      })
  }

  /// A method that takes one request and answers with many messages. The call ends when `handler`
  /// returns.
  public static func serverStreaming<Request: WireMessage, Response: WireMessage>(
    _ descriptor: MethodDescriptor,
    _ handler:
      @escaping @Sendable (Request, ResponseWriter<Response>, CallContext) async throws -> Void
  ) -> MethodImplementation {
    MethodImplementation(
      descriptor: descriptor,
      body: .streaming { stream, context in
        let request = try Request(decodingRequest: stream.request)
        try await handler(request, ResponseWriter(stream), context)
        return nil
      })
  }

  /// A method that takes many requests and answers with one message. It need not read them all.
  public static func clientStreaming<Request: WireMessage, Response: WireMessage>(
    _ descriptor: MethodDescriptor,
    _ handler: @escaping @Sendable (RequestStream<Request>, CallContext) async throws -> Response
  ) -> MethodImplementation {
    MethodImplementation(
      descriptor: descriptor,
      body: .streaming { stream, context in
        try await handler(RequestStream(stream), context)
          .encodedAnswer(headroom: ServerStream.headroom)
      })
  }

  /// A method that takes many requests and answers with many messages. The call ends when `handler`
  /// returns.
  public static func bidirectional<Request: WireMessage, Response: WireMessage>(
    _ descriptor: MethodDescriptor,
    _ handler:
      @escaping @Sendable (
        RequestStream<Request>, ResponseWriter<Response>, CallContext
      ) async throws -> Void
  ) -> MethodImplementation {
    MethodImplementation(
      descriptor: descriptor,
      body: .streaming { stream, context in
        try await handler(RequestStream(stream), ResponseWriter(stream), context)
        return nil
      })
  }

  /// A unary method on encoded messages, for a service whose contract is not compiled in.
  public static func encodedUnary(
    _ descriptor: MethodDescriptor,
    _ handler: @escaping @Sendable ([UInt8], CallContext) async throws -> [UInt8]
  ) -> MethodImplementation {
    MethodImplementation(
      descriptor: descriptor,
      body: .unary { request, context, headroom in
        let response = try await handler(Array(request), context)
        var buffer = WireBuffer(headroom: headroom, capacity: response.count)
        buffer.append(response)
        return buffer
      })
  }
}

extension WireMessage {
  /// Decodes what a caller has sent.
  init(decodingRequest bytes: ArraySlice<UInt8>) throws(RPCError) {
    do throws(WireError) {
      self = try Self(decoding: bytes)
    } catch {
      throw RPCError(.invalidArgument, "the request is not valid: \(error.message)", cause: error)
    }
  }

  /// Encodes what a caller is sent, with room in front.
  func encodedAnswer(headroom: Int) throws(RPCError) -> WireBuffer {
    var buffer = WireBuffer(headroom: headroom, capacity: 512)
    do throws(WireError) {
      try encode(into: &buffer)
    } catch {
      throw RPCError(.internal, "the answer cannot be encoded: \(error.message)", cause: error)
    }
    return buffer
  }
}

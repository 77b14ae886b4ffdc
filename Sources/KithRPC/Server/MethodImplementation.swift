public import KithWire

/// A method and the code that answers it.
public struct MethodImplementation: Sendable {
  /// Answers an encoded request: decodes it, runs the handler and appends the encoded answer to the buffer that it
  /// returns, behind `headRoom` bytes.
  typealias Body =
    @Sendable (_ request: ArraySlice<UInt8>, _ context: CallContext, _ headRoom: Int) async throws
    -> EncodedMessage

  /// The method.
  public let descriptor: MethodDescriptor
  let body: Body

  /// A unary method: one request, one answer.
  ///
  /// A request that does not decode is answered INVALID_ARGUMENT before `handler` is called. An ``RPCError`` that
  /// `handler` throws crosses the wire as it is, cause apart; any other error becomes UNKNOWN and says nothing more.
  public static func unary<Request: WireMessage, Response: WireMessage>(
    _ descriptor: MethodDescriptor,
    _ handler: @escaping @Sendable (Request, CallContext) async throws -> Response
  ) -> MethodImplementation {
    MethodImplementation(descriptor: descriptor) { request, context, headRoom in
      let decoded = try Request.decodingRequest(request)
      let response = try await handler(decoded, context)
      return try EncodedMessage(response, headRoom: headRoom)
    }
  }

  /// A unary method on encoded messages, for a service whose contract is not compiled in.
  public static func encodedUnary(
    _ descriptor: MethodDescriptor,
    _ handler: @escaping @Sendable ([UInt8], CallContext) async throws -> [UInt8]
  ) -> MethodImplementation {
    MethodImplementation(descriptor: descriptor) { request, context, headRoom in
      EncodedMessage(bytes: try await handler(Array(request), context), headRoom: headRoom)
    }
  }
}

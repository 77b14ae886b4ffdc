public import KithWire

/// A method and the code that answers it.
public struct MethodImplementation: Sendable {
  /// Answers an encoded request: decodes it, runs the handler, and returns the encoded answer behind
  /// `headroom` bytes of room.
  typealias Body =
    @Sendable (_ request: ArraySlice<UInt8>, _ context: CallContext, _ headroom: Int) async throws
    -> WireBuffer

  /// The method.
  public let descriptor: MethodDescriptor
  let body: Body

  /// A unary method: one request, one answer.
  ///
  /// A request that does not decode is answered INVALID_ARGUMENT before `handler` is called. An
  /// ``RPCError`` that `handler` throws crosses the wire as it is, cause apart; any other error
  /// becomes UNKNOWN and says nothing more.
  public static func unary<Request: WireMessage, Response: WireMessage>(
    _ descriptor: MethodDescriptor,
    _ handler: @escaping @Sendable (Request, CallContext) async throws -> Response
  ) -> MethodImplementation {
    MethodImplementation(descriptor: descriptor) { request, context, headroom in
      let decoded: Request
      do throws(WireError) {
        decoded = try Request(decoding: request)
      } catch {
        throw RPCError(.invalidArgument, "the request is not valid: \(error.message)", cause: error)
      }
      let response = try await handler(decoded, context)
      var buffer = WireBuffer(headroom: headroom, capacity: 256)
      do throws(WireError) {
        try response.encode(into: &buffer)
      } catch {
        throw RPCError(.internal, "the answer cannot be encoded: \(error.message)", cause: error)
      }
      return buffer
    }
  }

  /// A unary method on encoded messages, for a service whose contract is not compiled in.
  public static func encodedUnary(
    _ descriptor: MethodDescriptor,
    _ handler: @escaping @Sendable ([UInt8], CallContext) async throws -> [UInt8]
  ) -> MethodImplementation {
    MethodImplementation(descriptor: descriptor) { request, context, headroom in
      let response = try await handler(Array(request), context)
      var buffer = WireBuffer(headroom: headroom, capacity: response.count)
      buffer.append(response)
      return buffer
    }
  }
}

import KithRPC
import KithTransportInProcess

/// Runs `body` with a client of a server that answers one method: `bad` with NOT_FOUND, all else
/// with itself.
func withOneMethod(
  client clientInterceptors: [any ClientInterceptor], server interceptors: [any ServerInterceptor],
  inspect: @escaping @Sendable (CallContext) -> Void = { _ in },
  _ body: (MethodDescriptor, RPCClient) async throws -> Void
) async throws {
  let method = MethodDescriptor(
    service: "test.Telemetry\(UInt32.random(in: 0 ... .max))", method: "Do")
  let service = ServiceDefinition(
    name: method.service,
    methods: [
      .encodedUnary(method) { request, context in
        inspect(context)
        if request == Array("bad".utf8) { throw RPCError(.notFound, "there is none") }
        return request
      }
    ])
  let transport = InProcessTransport()
  let server = RPCServer(services: [service], interceptors: interceptors)
  try server.start(on: transport.listener)
  let client = RPCClient(connector: transport.connector, interceptors: clientInterceptors)
  defer {
    client.close()
    server.close()
  }
  try await body(method, client)
}

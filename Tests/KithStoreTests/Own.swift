import Glibc
import KithRPC
import KithTransportInProcess

/// What a test is and does itself.
enum Own {
  /// The user that the kernel says calls.
  static let userID = geteuid()

  /// Runs `body` with a client of a service.
  static func serving(
    _ service: ServiceDefinition, _ body: (RPCClient) async throws -> Void
  ) async throws {
    let transport = InProcessTransport()
    let server = RPCServer(services: [service])
    try server.start(on: transport.listener)
    let client = RPCClient(connector: transport.connector)
    defer {
      client.close()
      server.close()
    }
    try await body(client)
  }
}

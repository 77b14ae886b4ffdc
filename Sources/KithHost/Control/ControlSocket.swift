import Glibc
import KithManifest
import KithRPC
import KithTransportNng

/// The host's control service and the socket where it is served.
struct ControlSocket {
  private let server: RPCServer
  private let places: ProductPlaces
  /// The socket's file as this host made it.
  private var file: FileIdentity?

  /// Serves at the control socket of a product.
  init(_ server: RPCServer, at places: ProductPlaces) throws(RPCError) {
    self.server = server
    self.places = places
    try listen()
  }

  /// Whether the socket's file is the one that this host made.
  var isInPlace: Bool { file == FileIdentity(places.controlSocket) }

  /// Makes the socket again. Whoever holds the root's lock owns its name, whatever file has it now.
  mutating func bindAgain() throws(RPCError) {
    unlink(places.controlSocket)
    try listen()
  }

  private mutating func listen() throws(RPCError) {
    try server.start(on: NngListener(address: places.controlAddress))
    file = FileIdentity(places.controlSocket)
  }

  /// Ends the service. The answers in progress are sent before, which takes two seconds at most.
  func close() async {
    server.beginGracefulShutdown()
    await withDiscardingTaskGroup { group in
      let first = Waiter<Void>()
      group.addTask {
        await server.waitUntilIdle()
        first.finish(.success(()))
      }
      group.addTask {
        try? await Task.sleep(for: .seconds(2))
        first.finish(.success(()))
      }
      try? await first.value()
      group.cancelAll()
    }
    server.close()
    unlink(places.controlSocket)
  }

  /// Leaves the socket to the end of the process: to close it would remove the file at its path,
  /// which may be another host's.
  func abandon() {
    _ = Unmanaged.passRetained(server)
  }
}

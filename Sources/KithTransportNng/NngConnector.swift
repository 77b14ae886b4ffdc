public import KithRPC

#if canImport(Glibc)
  import Glibc
#endif

/// Connects to a worker at a fixed address: `ipc:///run/user/1000/kith/milo/host.sock`,
/// `tls+tcp://milo.local:7443`.
public struct NngConnector: Connector {
  private let address: String
  private let security: NetworkSecurity?
  private let acceptsPeer: @Sendable (PeerIdentity) -> Bool
  private let checksCertificate: Bool

  /// A connector to `address`. `authorize` decides whom to talk to: by default only a process of
  /// the same user id, or one with a certificate for the address's host, so that nobody else can
  /// take a worker's place. `security` is needed for an address on the network, and for no other.
  public init(
    address: String, security: NetworkSecurity? = nil,
    authorize: @escaping @Sendable (PeerIdentity) -> Bool = RPCServer.sameUser
  ) {
    self.init(
      address: address, security: security, checksCertificate: true, authorize: authorize)
  }

  /// A connector that may show its certificate without a look at it: for tests of what servers make
  /// of a bad one.
  init(
    address: String, security: NetworkSecurity?, checksCertificate: Bool,
    authorize: @escaping @Sendable (PeerIdentity) -> Bool = RPCServer.sameUser
  ) {
    self.address = address
    self.security = security
    self.checksCertificate = checksCertificate
    self.acceptsPeer = authorize
  }

  /// Opens a stream to the address.
  ///
  /// - Throws: UNAVAILABLE when nobody listens there, INVALID_ARGUMENT for an address that can
  ///   never work, PERMISSION_DENIED when the process there belongs to somebody else.
  public func connect(_ request: ConnectRequest) async throws(RPCError) -> EstablishedConnection {
    EstablishedConnection(stream: try await dial())
  }

  func dial() async throws(RPCError) -> NngStream {
    let address = try NngAddress(address)
    let tls = try address.configuration(
      security, dials: true, checksCertificate: checksCertificate)
    switch try await NngDial.connect(address, tls) {
    case .success(let stream):
      guard address.kind == .tcp || acceptsPeer(stream.peer) else {
        stream.close()
        throw RPCError(
          .permissionDenied,
          "the process that listens at \(address.place) belongs to another user: stop it, or use a "
            + "folder of your own")
      }
      return stream
    case .failure(let failure): throw Self.error(failure.code, address)
    }
  }

  private static func error(_ code: NngCode, _ address: NngAddress) -> RPCError {
    switch code {
    // nng says the same of a socket that nobody listens at and of one that is not there.
    case .connectionRefused where address.path.map(StaleSocket.isMissing) ?? false, .notFound:
      RPCError(.unavailable, "no worker listens at \(address.place): there is no such socket")
    case .connectionRefused:
      RPCError(
        .unavailable,
        address.path == nil
          ? "no worker listens at \(address.place)"
          : "no worker listens at \(address.place): the socket was left behind by one that is gone")
    case .peerAuthentication, .cryptography:
      RPCError(
        .unauthenticated, "TLS with \(address.place) failed: \(code.text)")
    case .permission:
      RPCError(.permissionDenied, "this user may not connect to \(address.place)")
    case .cancelled: RPCError(.cancelled, "nobody waits for the connection any more")
    default: RPCError(.unavailable, "cannot connect to \(address.place): \(code.text)")
    }
  }
}

import Glibc
import KithRPC
import KithTransportInProcess
import KithTransportNng
import TestCertificates
import Testing

/// The transports that every behaviour is tested over.
enum TransportKind: CaseIterable, Sendable, CustomTestStringConvertible {
  case inProcess
  /// Frames arrive in pieces of three bytes.
  case inProcessInPieces
  case nng
  /// Through the network, with certificates on both sides.
  case tls

  var testDescription: String { "\(self)" }

  /// A place of its own for a test.
  func makePlace() -> TransportPlace {
    switch self {
    case .inProcess: TransportPlace(inProcess: InProcessTransport())
    case .inProcessInPieces: TransportPlace(inProcess: InProcessTransport(maximumReadBytes: 3))
    case .nng: TransportPlace(nng: TemporaryFolder())
    case .tls: TransportPlace(tls: TestCredentials.own)
    }
  }
}

/// Where one test's server listens and its clients connect.
struct TransportPlace: Sendable {
  let makeListener: @Sendable () -> any Listener
  let connector: any Connector
  private let folder: TemporaryFolder?

  init(inProcess transport: InProcessTransport) {
    makeListener = { transport.listener }
    connector = transport.connector
    folder = nil
  }

  init(nng folder: TemporaryFolder) {
    let address = folder.address("worker.sock")
    makeListener = { NngListener(address: address) }
    connector = NngConnector(address: address)
    self.folder = folder
  }

  init(tls credentials: TLSCredentials) {
    let address = "tls+tcp://127.0.0.1:\(FreePort.next())"
    makeListener = { NngListener(address: address, security: .mutualTLS(credentials)) }
    connector = NngConnector(address: address, security: .mutualTLS(credentials))
    folder = nil
  }
}

/// The certificate of both sides of the tests, made once.
enum TestCredentials {
  private static let folder = TemporaryFolder()

  static let own: TLSCredentials = {
    do {
      return try TestAuthority("tests", folder: folder.path).credentials("both")
    } catch {
      preconditionFailure("no certificate can be made: \(error)")
    }
  }()
}

/// Ports that nobody listens at.
enum FreePort {
  /// One that the system chose; it gives the next asker another.
  static func next() -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
      }
    }
    precondition(code == 0, "the system has no free port")
    return UInt16(bigEndian: address.sin_port)
  }
}

extension TransportPlace {
  /// Starts a server here, once the last one is gone: nng closes a listener on a thread of its own.
  func startServer(_ services: [ServiceDefinition]) async throws -> RPCServer {
    let end = ContinuousClock.now + .seconds(60)
    while true {
      let server = RPCServer(services: services)
      do throws(RPCError) {
        try server.start(on: makeListener())
        return server
      } catch {
        guard error.code == .alreadyExists, .now < end else { throw error }
        try await Task.sleep(for: .milliseconds(1))
      }
    }
  }
}

/// A folder that is removed with the last reference to it.
final class TemporaryFolder: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/kith-rpc-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { buffer in
      guard let made = mkdtemp(buffer.baseAddress!) else { preconditionFailure("mkdtemp failed") }
      return String(cString: made)
    }
  }

  deinit {
    // The files in it belong to sockets; whatever else a test made is small and left to the system.
    for name in ["worker.sock", "next.sock", "file", "tests.ca.pem", "both.pem", "both.key"] {
      unlink("\(path)/\(name)")
    }
    rmdir(path)
  }

  func address(_ name: String) -> String { "ipc://\(path)/\(name)" }
}

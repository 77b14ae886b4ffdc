import Glibc
import KithRPC
import KithTransportInProcess
import KithTransportNng
import Testing

/// The transports that every behaviour is tested over.
enum TransportKind: CaseIterable, Sendable, CustomTestStringConvertible {
  case inProcess
  /// Frames arrive in pieces of three bytes.
  case inProcessInPieces
  case nng

  var testDescription: String { "\(self)" }

  /// A place of its own for a test.
  func makePlace() -> TransportPlace {
    switch self {
    case .inProcess: TransportPlace(inProcess: InProcessTransport())
    case .inProcessInPieces: TransportPlace(inProcess: InProcessTransport(maximumReadBytes: 3))
    case .nng: TransportPlace(nng: TemporaryFolder())
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
}

extension TransportPlace {
  /// Starts a server here, once the last one is gone: nng closes a listener on a thread of its own.
  func startServer(_ services: [ServiceDefinition]) async throws -> RPCServer {
    while true {
      let server = RPCServer(services: services)
      do throws(RPCError) {
        try server.start(on: makeListener())
        return server
      } catch {
        guard error.code == .alreadyExists else { throw error }
        await Task.yield()
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
    for name in ["worker.sock", "next.sock", "file"] { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  func address(_ name: String) -> String { "ipc://\(path)/\(name)" }
}

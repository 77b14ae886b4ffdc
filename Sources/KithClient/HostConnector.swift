import Glibc
import KithRPC

/// Connects to a control socket, and says plainly what it means when nobody answers there.
struct HostConnector: Connector {
  let product: String
  let address: String
  let connector: any Connector

  func connect(_ request: ConnectRequest) async throws(RPCError) -> EstablishedConnection {
    do throws(RPCError) {
      return try await connector.connect(request)
    } catch {
      guard error.code == .unavailable else { throw error }
      var explained = error
      explained.message = explanation
      explained.cause = error
      throw explained
    }
  }

  /// Why nobody answers: there is no socket, or one that a host left which did not end by itself.
  private var explanation: String {
    let path = address.hasPrefix("ipc://") ? String(address.dropFirst("ipc://".count)) : address
    if access(path, F_OK) != 0, errno == ENOENT || errno == ENOTDIR {
      return "no host is running for product \(product) (no socket at \(path)); "
        + advice
    }
    return "no host is running for product \(product): nobody listens on \(path), "
      + "which a host left that did not end by itself; " + advice
  }

  private var advice: String {
    "start it with `kith up \(product)`, or with the path of its manifest"
  }
}

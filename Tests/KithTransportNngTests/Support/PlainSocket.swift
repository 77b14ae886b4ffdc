import Glibc

/// A unix socket without nng, for the other side of what nng does. Blocks, and is closed at the
/// end.
final class PlainSocket {
  let descriptor: Int32

  private init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// A socket that listens at `path` with a backlog of so many connections and accepts none.
  static func listening(at path: String, backlog: Int32) -> PlainSocket {
    let made = PlainSocket(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
    let bound = withAddress(path) { bind(made.descriptor, $0, $1) }
    precondition(bound == 0 && listen(made.descriptor, backlog) == 0, "nothing listens at \(path)")
    return made
  }

  /// A socket that is bound to `path` and does not listen: what a dead process leaves behind, once
  /// it is closed.
  static func bound(at path: String) -> PlainSocket {
    let made = PlainSocket(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
    let bound = withAddress(path) { bind(made.descriptor, $0, $1) }
    precondition(bound == 0, "nothing is bound to \(path)")
    return made
  }

  /// A connected socket; nil, with the system's reason, when it is refused. `waits`: not refused
  /// when the backlog is full.
  static func connected(to path: String, waits: Bool = true) -> Result<PlainSocket, SocketRefusal> {
    let kind = Int32(SOCK_STREAM.rawValue) | (waits ? 0 : Int32(SOCK_NONBLOCK.rawValue))
    let made = PlainSocket(socket(AF_UNIX, kind, 0))
    let result = withAddress(path) { connect(made.descriptor, $0, $1) }
    return result == 0 ? .success(made) : .failure(SocketRefusal(code: errno))
  }

  /// Accepts one connection.
  func accept() -> PlainSocket { PlainSocket(Glibc.accept(descriptor, nil, nil)) }

  /// Writes all of `bytes`.
  func write(_ bytes: [UInt8]) {
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      precondition(count > 0, "the other side takes no bytes")
      written += count
    }
  }

  /// Reads exactly so many bytes; fewer at the end.
  func read(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let more = bytes.withUnsafeMutableBytes {
        recv(descriptor, $0.baseAddress! + filled, count - filled, 0)
      }
      guard more > 0 else { break }
      filled += more
    }
    return Array(bytes.prefix(filled))
  }

  /// Says that it writes no more, and goes on reading.
  func finishWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) {
      $0.copyBytes(from: path.utf8.prefix($0.count - 1))
    }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}

/// Why the system refused a connection.
struct SocketRefusal: Error { var code: Int32 }

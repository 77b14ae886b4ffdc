import Glibc

/// A unix socket's descriptor, closed with the last reference.
final class UnixSocket: Sendable {
  let descriptor: Int32

  /// Takes over a descriptor; nil when it is none.
  init?(_ descriptor: Int32) {
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Listens at a path.
  static func listening(at path: String) -> UnixSocket? {
    guard let socket = UnixSocket(fresh()), socket.apply(bind, path) == 0,
      listen(socket.descriptor, 128) == 0
    else { return nil }
    return socket
  }

  /// Connects to a path.
  static func connected(to path: String) -> UnixSocket? {
    guard let socket = UnixSocket(fresh()), socket.apply(connect, path) == 0 else { return nil }
    return socket
  }

  private static func fresh() -> Int32 {
    socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  }

  private func apply(
    _ function: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32, _ path: String
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) {
      $0.copyBytes(from: path.utf8.prefix($0.count - 1))
    }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// Waits for the next connection; nil when the socket was ended.
  func accept() -> UnixSocket? {
    while true {
      let next = Glibc.accept(descriptor, nil, nil)
      if next >= 0 { _ = fcntl(next, F_SETFD, FD_CLOEXEC) }
      if next >= 0 || errno != EINTR { return UnixSocket(next) }
    }
  }

  /// The process at the other end.
  var peerPID: Int32 {
    var credentials: [Int32] = [0, 0, 0]
    var size = socklen_t(12)
    return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0
      ? credentials[0] : 0
  }

  /// Ends it in both directions; whoever waits on it goes on.
  func end() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Reads so many bytes; nil when it ends before.
  func read(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var have = 0
    while have < count {
      let more = bytes.withUnsafeMutableBytes {
        recv(descriptor, $0.baseAddress?.advanced(by: have), count - have, 0)
      }
      if more < 0, errno == EINTR { continue }
      guard more > 0 else { return nil }
      have += more
    }
    return bytes
  }

  /// Writes all bytes; false when it has ended.
  func write(_ bytes: some Collection<UInt8>) -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return false }
      rest = rest.dropFirst(written)
    }
    return true
  }
}

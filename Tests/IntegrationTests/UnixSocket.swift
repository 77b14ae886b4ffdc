import Glibc
import KithTesting

/// A plain connection to a socket, for what no client of ours would send.
enum UnixSocket {
  /// Connects, writes bytes and closes the connection.
  static func send(_ bytes: [UInt8], to path: String) throws {
    close(try open(bytes, to: path))
  }

  /// Connects, writes bytes and reads what the other side says until it hangs up.
  static func ask(_ bytes: [UInt8], at path: String) throws -> String {
    let descriptor = try open(bytes, to: path)
    defer { close(descriptor) }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return String(decoding: answer, as: UTF8.self) }
      answer += buffer[..<count]
    }
  }

  /// Connects and writes bytes; the connection is the caller's to close.
  static func open(_ bytes: [UInt8], to path: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw TestingError("no socket can be created") }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let text = Array(path.utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: text.prefix(107)) }
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard code == 0 else {
      close(descriptor)
      throw TestingError("cannot connect to \(path)")
    }
    // The other side may hang up before all is sent; that is its right.
    _ = bytes.withUnsafeBytes {
      Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    return descriptor
  }
}

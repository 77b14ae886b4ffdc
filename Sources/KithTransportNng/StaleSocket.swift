import Glibc
import KithRPC

/// What is left at the path of a socket before somebody listens there.
enum StaleSocket {
  /// Removes a socket file that nobody listens at any more.
  ///
  /// - Throws: ALREADY_EXISTS when a process listens there, or when the file is no socket.
  static func remove(at path: String) throws(RPCError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw RPCError(
        .alreadyExists, "the file \(path) is in the way and is no socket: move it elsewhere")
    }
    guard try !isAnswering(at: path) else { throw taken(path) }
    guard unlink(path) == 0 || errno == ENOENT else {
      throw RPCError(
        .permissionDenied,
        "the socket \(path) was left by a dead process and cannot be removed: "
          + String(cString: strerror(errno)))
    }
  }

  /// Whether there is nothing at `path`.
  static func isMissing(at path: String) -> Bool {
    access(path, F_OK) != 0 && errno == ENOENT
  }

  static func taken(_ path: String) -> RPCError {
    RPCError(
      .alreadyExists,
      "another process listens at \(path): stop it first, or choose another address")
  }

  /// Whether a process listens at `path`. Asked with a connection: only the kernel knows.
  private static func isAnswering(at path: String) throws(RPCError) -> Bool {
    let descriptor = socket(
      AF_UNIX,
      Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        | Int32(SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else {
      throw RPCError(.unavailable, "cannot make a socket: \(String(cString: strerror(errno)))")
    }
    defer { Glibc.close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { memory in
      memory.copyBytes(from: path.utf8.prefix(memory.count - 1))
    }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        Glibc.connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    // Refused and gone mean that nobody is there; anything else (a full backlog is EAGAIN) that
    // somebody is.
    return result == 0 || (errno != ECONNREFUSED && errno != ENOENT)
  }
}

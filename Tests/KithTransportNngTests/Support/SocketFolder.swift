import Glibc

/// A folder for sockets, which is removed with all that is in it at the end.
final class SocketFolder: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/kith-ipc-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { buffer in
      guard let made = mkdtemp(buffer.baseAddress!) else { preconditionFailure("mkdtemp failed") }
      return String(cString: made)
    }
  }

  deinit {
    chmod(path, 0o700)
    if let directory = opendir(path) {
      while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        unlink("\(path)/\(name)")
      }
      closedir(directory)
    }
    rmdir(path)
  }

  func socket(_ name: String = "worker.sock") -> String { "\(path)/\(name)" }

  func address(_ name: String = "worker.sock") -> String { "ipc://\(socket(name))" }
}

import Glibc

/// The standard error of this process, without the C library's buffer.
enum StandardError {
  /// Writes the bytes, in one piece when they are few. Nothing is done about an error: when nobody
  /// reads any more, the worker still works.
  @Sendable static func write(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Glibc.write(
          STDERR_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    }
  }
}

import Glibc

/// The standard error of this process; that it was closed or nobody reads it stops nobody.
public enum StandardError {
  /// Writes a text as it is.
  public static func write(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      if count <= 0 {
        if count < 0 && errno == EINTR { continue }
        return
      }
      bytes = bytes.dropFirst(count)
    }
  }
}

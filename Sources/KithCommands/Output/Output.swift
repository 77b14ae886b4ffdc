import Glibc

/// Where commands write. Straight to the descriptors, so that what is written is there at once, also in a pipe.
enum Output {
  /// Writes a line to standard output.
  static func line(_ text: String = "") {
    write(text + "\n", to: STDOUT_FILENO)
  }

  /// Writes lines to standard output.
  static func lines(_ lines: some Sequence<String>) {
    write(lines.map { $0 + "\n" }.joined(), to: STDOUT_FILENO)
  }

  /// Writes a line to standard error.
  static func errorLine(_ text: String) {
    write(text + "\n", to: STDERR_FILENO)
  }

  private static func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        bytes = bytes.dropFirst(count)
        continue
      }
      if errno == EINTR { continue }
      // Nobody can be told more; the exit code says it, except where the reader went away and wants no more.
      if descriptor == STDOUT_FILENO, errno != EPIPE { exit(ExitStatus.cannotCreate.number) }
      return
    }
  }
}

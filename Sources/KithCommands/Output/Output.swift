import Glibc
import KithTerminal

/// Where commands write. Straight to the descriptors, so that what is written is there at once,
/// also in a pipe.
enum Output {
  /// Writes a line to standard output.
  /// - Throws: exit code 73 when it cannot be written, as on a full disk. A reader that went away
  ///   is no error: it wants no more.
  static func line(_ text: String = "") throws(CommandFailure) {
    try toStandardOutput(text + "\n")
  }

  /// Writes lines to standard output.
  /// - Throws: as ``line(_:)``.
  static func lines(_ lines: some Sequence<String>) throws(CommandFailure) {
    try toStandardOutput(lines.map { $0 + "\n" }.joined())
  }

  /// Writes a text to standard output as it is.
  /// - Throws: as ``line(_:)``.
  static func text(_ text: String) throws(CommandFailure) {
    try toStandardOutput(text)
  }

  /// Writes a line to standard error. Where that fails nobody can be told; the exit code still says
  /// it.
  static func errorLine(_ text: String) {
    _ = write(text + "\n", to: STDERR_FILENO)
  }

  /// Writes a text to standard error, broken at the width of the terminal where it is one.
  static func errorText(_ text: String) {
    guard isatty(STDERR_FILENO) == 1 else { return errorLine(text) }
    var size = winsize()
    let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col >= 40
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      for part in TextWidth.hanging(String(line), width: isKnown ? min(Int(size.ws_col), 120) : 80)
      {
        errorLine(part)
      }
    }
  }

  private static func toStandardOutput(_ text: String) throws(CommandFailure) {
    let code = write(text, to: STDOUT_FILENO)
    guard code == 0 || code == EPIPE else {
      throw CommandFailure(
        .cannotCreate, "cannot write standard output: \(String(cString: strerror(code)))")
    }
  }

  /// Zero, or the number of the error.
  private static func write(_ text: String, to descriptor: Int32) -> Int32 {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        bytes = bytes.dropFirst(count)
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }
}

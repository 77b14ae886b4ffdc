import Glibc

/// Reads files and standard input, up to what one call can carry.
package struct SystemValueReader: ValueReader {
  /// The most that is read: the largest message that a call takes.
  package static let maximumBytes = 16 << 20

  /// A reader.
  package init() {}

  /// All bytes of a file.
  package func bytes(ofFile path: String) throws(CommandFailure) -> [UInt8] {
    let name = SafeText.line(path)
    // Not blocking, so that a named pipe without a writer hangs nothing; reads of regular files do
    // not mind.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.failure("cannot read the file '\(name)'") }
    defer { close(descriptor) }
    return try Self.bytes(of: descriptor, name: "the file '\(name)'")
  }

  /// All bytes of standard input.
  package func standardInput() throws(CommandFailure) -> [UInt8] {
    try Self.bytes(of: STDIN_FILENO, name: "standard input")
  }

  private static func bytes(
    of descriptor: Int32, name: String
  ) throws(CommandFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count == 0 { return bytes }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw failure("cannot read \(name)")
      }
      bytes += chunk[..<count]
      guard bytes.count <= maximumBytes else {
        throw CommandFailure(
          .badInput,
          "\(name) has more than \(Quantities.bytes(UInt64(maximumBytes))), "
            + "the most that one call carries")
      }
    }
  }

  private static func failure(_ what: String) -> CommandFailure {
    let reason = String(cString: strerror(errno))
    return CommandFailure(errno == EACCES ? .permission : .badInput, "\(what): \(reason)")
  }
}

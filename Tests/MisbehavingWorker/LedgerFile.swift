import Glibc
import KithRPC
import Synchronization

/// The file of the list, one entry a line. Two generations of a worker that write to it at a time
/// do so one after the other.
final class LedgerFile: Sendable {
  /// The name of the file in the worker's state folder.
  static let name = "entries"

  private let path: String
  /// How much of the file this process has seen, in bytes and in lines.
  private let seen = Mutex((bytes: 0, lines: 0))

  init(folder: String) { path = "\(folder)/\(Self.name)" }

  /// Adds what is missing.
  /// - Parameter missing: the entries behind the number of lines that are there.
  /// - Throws: INTERNAL if the file cannot be written.
  func add(missing: (_ lines: Int) throws -> [String]) throws {
    let file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw RPCError(.internal, "the list cannot be opened") }
    defer { close(file) }
    guard flock(file, LOCK_EX) == 0 else { throw RPCError(.internal, "the list cannot be locked") }
    let lines = try missing(count(file)).map { "\($0)\n" }
    guard !lines.isEmpty else { return }
    // One write, so that a killed worker leaves whole lines.
    let text = Array(lines.joined().utf8)
    guard write(file, text, text.count) == text.count else {
      throw RPCError(.internal, "the list cannot be written")
    }
  }

  private func count(_ file: Int32) -> Int {
    seen.withLock { seen in
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = pread(file, &buffer, buffer.count, off_t(seen.bytes))
        guard count > 0 else { return seen.lines }
        seen.bytes += count
        seen.lines += buffer[..<count].count { $0 == UInt8(ascii: "\n") }
      }
    }
  }
}

import Dispatch
import Glibc
import Synchronization
import KithTerminal

/// The lines of standard input, one at a time, without blocking a task's thread.
final class StandardInputLines: Sendable {
  /// A line without its end.
  struct Line: Sendable {
    /// Which line it is, from 1.
    var number: Int
    var text: [UInt8]
  }

  private struct State {
    var buffer: [UInt8] = []
    var number = 0
    var isAtEnd = false
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "kith.standard-input")

  /// The next line; nil at the end. One task asks at a time.
  /// - Throws: ``CommandFailure`` when standard input cannot be read, or a line is longer than a
  ///   call can carry.
  func next() async throws(CommandFailure) -> Line? {
    try await withCheckedContinuation { continuation in
      queue.async {
        let result = Result { () throws(CommandFailure) in
          try self.state.withLock { state throws(CommandFailure) in try Self.read(&state) }
        }
        continuation.resume(returning: result)
      }
    }.get()
  }

  private static func read(_ state: inout State) throws(CommandFailure) -> Line? {
    var searched = 0
    while true {
      if let end = state.buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let text = Array(state.buffer[..<end])
        state.buffer.removeFirst(end + 1)
        state.number += 1
        return Line(number: state.number, text: text)
      }
      searched = state.buffer.count
      guard !state.isAtEnd else {
        guard !state.buffer.isEmpty else { return nil }
        state.number += 1
        defer { state.buffer = [] }
        return Line(number: state.number, text: state.buffer)
      }
      guard searched <= SystemValueReader.maximumBytes else {
        throw CommandFailure(
          .badInput,
          "line \(state.number + 1) of standard input is longer than a call can carry, "
            + "\(SystemValueReader.maximumBytes) bytes")
      }
      var chunk = [UInt8](repeating: 0, count: 65536)
      let count = Glibc.read(STDIN_FILENO, &chunk, chunk.count)
      if count > 0 {
        state.buffer += chunk[..<count]
      } else if count == 0 {
        state.isAtEnd = true
      } else if errno != EINTR {
        throw CommandFailure(
          .badInput, "cannot read standard input: \(String(cString: strerror(errno)))")
      }
    }
  }
}

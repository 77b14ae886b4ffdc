import BenchmarkKit
import Glibc

/// One stream, read from its first message to its end.
struct StreamReading {
  /// How long it took, from the call on.
  var seconds: Double
  /// The most memory that the reading process had.
  var peakKibibytes: Int

  /// Reads a stream in this process and prints the figures, for
  /// ``inProcessOfItsOwn(_:socketPath:count:bytes:)``.
  static func printInThisProcess(
    _ stack: RPCStack, socketPath: String, count: Int, bytes: Int
  ) async throws {
    let clock = ContinuousClock()
    try await stack.withStreams(socketPath: socketPath) { read in
      // The connection is made by the first stream; that of the measurement finds it there.
      try await read(1, 1)
      let begin = clock.now
      try await read(count, bytes)
      let seconds = (clock.now - begin) / .seconds(1)
      print(seconds, kibibytes("VmHWM", of: getpid()) ?? 0)
    }
  }

  /// Reads a stream in a process that does nothing else.
  static func inProcessOfItsOwn(
    _ stack: RPCStack, socketPath: String, count: Int, bytes: Int
  ) throws -> StreamReading {
    let figures = try ChildProcess.figures(
      count: 2, of: ChildProcess.ownPath,
      ["read-stream", stack.rawValue, socketPath, "\(count)", "\(bytes)"])
    return StreamReading(seconds: figures[0], peakKibibytes: Int(figures[1]))
  }
}

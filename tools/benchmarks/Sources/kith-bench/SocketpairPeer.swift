import BenchmarkKit
import Glibc

/// The floor under every stack: blocking reads and writes of fixed-size frames on a raw socket
/// pair, no protobuf, no calls.
enum SocketpairPeer {
  /// About what the request of the other stacks is on the wire.
  static let frameBytes = 240

  /// The other end: sends back what comes on descriptor 3 until it is closed.
  static func echo() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(3, &buffer, buffer.count)
      guard count > 0 else { return }
      guard writeAll(3, buffer[..<count]) else { return }
    }
  }

  /// Sends `inFlight` frames in one write and waits for all of them, again and again.
  static func run(inFlight: Int, for duration: Duration) throws -> LoadGenerator.Sample {
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
      throw BenchmarkError("socketpair: \(String(cString: strerror(errno)))")
    }
    let child = try ChildProcess(ChildProcess.ownPath, ["serve-echo"], inherited: ends[1])
    close(ends[1])
    defer {
      close(ends[0])
      child.end()
    }
    let clock = ContinuousClock()
    let begin = clock.now.advanced(by: duration / 5)
    let end = begin.advanced(by: duration)
    let frames = [UInt8](repeating: 7, count: frameBytes * inFlight)
    var answer = [UInt8](repeating: 0, count: frames.count)
    var latencies: [Double] = []
    var before = clock.now
    while before < end {
      guard writeAll(ends[0], frames[...]) else { throw BenchmarkError("the echo has ended") }
      var received = 0
      while received < frames.count {
        let count = read(ends[0], &answer, frames.count - received)
        guard count > 0 else { throw BenchmarkError("the echo has ended") }
        received += count
      }
      let after = clock.now
      if before >= begin {
        let each = (after - before) / .microseconds(1)
        for _ in 0..<inFlight { latencies.append(each) }
      }
      before = after
    }
    return LoadGenerator.summary(of: latencies, over: duration)
  }

  private static func writeAll(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.withUnsafeBytes { buffer in
      var sent = 0
      while sent < buffer.count {
        let count = write(descriptor, buffer.baseAddress! + sent, buffer.count - sent)
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }
  }
}

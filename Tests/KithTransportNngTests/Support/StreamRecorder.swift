import KithRPC
import KithWire
import Synchronization

/// Keeps what a stream's other side writes, in order, and tells its end.
final class StreamRecorder: ByteStreamReceiver {
  private struct State {
    var bytes: [UInt8] = []
    var reads: Bool
    var waiting: [WireBuffer] = []
    var isWriting = false
  }

  private let stream: any ByteStream
  private let state: Mutex<State>
  private let (news, told) = AsyncStream<Void>.makeStream()
  private let (ends, ended) = AsyncStream<RPCError?>.makeStream()

  /// Starts to read from `stream`, or pauses behind the first bytes until `read()`.
  init(_ stream: any ByteStream, reads: Bool = true) {
    self.stream = stream
    state = Mutex(State(reads: reads))
    stream.start(receiver: self)
  }

  var bytes: [UInt8] { state.withLock { $0.bytes } }

  /// Waits until so many bytes have come.
  func bytes(_ count: Int) async -> [UInt8] {
    if bytes.count < count { for await _ in news where bytes.count >= count { break } }
    return bytes
  }

  /// Waits for the end of the stream: nil when it ended in good order.
  func end() async -> RPCError? { await ends.first { _ in true } ?? nil }

  /// Reads on.
  func read() {
    state.withLock { $0.reads = true }
    stream.resumeReading()
  }

  /// Writes all of `bytes`, behind what waits.
  func write(_ bytes: [UInt8]) {
    var buffer = WireBuffer()
    buffer.append(bytes)
    let starts = state.withLock { state in
      state.waiting.append(buffer)
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if starts { writeNext() }
  }

  /// Whether all is written.
  var hasWritten: Bool { state.withLock { !$0.isWriting } }

  private func writeNext() {
    while let batch = next(), stream.write(batch) {}
  }

  private func next() -> WireBuffer? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.isWriting = false
        return nil
      }
      return state.waiting.removeFirst()
    }
  }

  func received(_ bytes: UnsafeRawBufferPointer) -> ReadingDecision {
    let reads = state.withLock { state in
      state.bytes += bytes
      return state.reads
    }
    told.yield()
    return reads ? .proceed : .pause
  }

  func deliver() {}
  func wrote() { writeNext() }

  func ended(_ error: RPCError?) {
    told.finish()
    ended.yield(error)
    ended.finish()
  }
}

import BenchmarkKit
import KithRPC
import KithTransportNng
// No product of its own; KithRPC, whose streams speak of its buffers, brings it.
import KithWire
import Synchronization

/// The floor under Kith's own transport: the very streams of nng that Kith uses, with nothing on
/// them but bytes. No protobuf, no calls, no task: each side writes from the callback that told it
/// of the bytes.
enum NngEchoPeer {
  /// Sends back whatever comes until the process is ended.
  static func serve(socketPath: String) async throws {
    let listener = NngListener(address: "ipc://\(socketPath)")
    try listener.start { stream in stream.start(receiver: Echo(stream)) }
    while true { try await Task.sleep(for: .seconds(3_600)) }
  }

  /// Sends one frame and, in the callback that brings the last of it back, the next one.
  static func run(socketPath: String, for duration: Duration) async throws -> LoadGenerator.Sample {
    let connector = NngConnector(address: "ipc://\(socketPath)")
    let stream = try await connector.connect(ConnectRequest()).stream
    defer { stream.close() }
    let latencies = try await withCheckedThrowingContinuation { continuation in
      let ping = Ping(stream, duration, continuation)
      stream.start(receiver: ping)
      ping.begin()
    }
    return LoadGenerator.summary(of: latencies, over: duration)
  }

  private final class Echo: ByteStreamReceiver {
    private let stream: any ByteStream

    init(_ stream: any ByteStream) { self.stream = stream }

    func received(_ bytes: UnsafeRawBufferPointer) -> ReadingDecision {
      var batch = WireBuffer(capacity: bytes.count)
      batch.append(bytes)
      return stream.write(batch) ? .proceed : .pause
    }

    func deliver() {}

    func wrote() { stream.resumeReading() }

    func ended(_ error: RPCError?) {}
  }

  private final class Ping: ByteStreamReceiver {
    private struct State {
      /// How much of the frame has come back.
      var received = 0
      var before: ContinuousClock.Instant
      var latencies: [Double] = []
      /// Nil when the run is over.
      var continuation: CheckedContinuation<[Double], any Error>?
    }

    private let stream: any ByteStream
    private let frame: WireBuffer
    private let clock = ContinuousClock()
    private let begins: ContinuousClock.Instant
    private let ends: ContinuousClock.Instant
    private let state: Mutex<State>

    init(
      _ stream: any ByteStream, _ duration: Duration,
      _ continuation: CheckedContinuation<[Double], any Error>
    ) {
      self.stream = stream
      var frame = WireBuffer(capacity: SocketpairPeer.frameBytes)
      frame.append([UInt8](repeating: 7, count: SocketpairPeer.frameBytes))
      self.frame = frame
      begins = clock.now.advanced(by: duration / 5)
      ends = begins.advanced(by: duration)
      state = Mutex(State(before: clock.now, continuation: continuation))
    }

    func begin() { _ = stream.write(frame) }

    func received(_ bytes: UnsafeRawBufferPointer) -> ReadingDecision {
      let sendsNext = state.withLock { state in
        state.received += bytes.count
        guard state.received >= SocketpairPeer.frameBytes else { return false }
        state.received = 0
        let after = clock.now
        if state.before >= begins {
          state.latencies.append((after - state.before) / .microseconds(1))
        }
        state.before = after
        guard after >= ends else { return true }
        state.continuation?.resume(returning: state.latencies)
        state.continuation = nil
        return false
      }
      // One frame is far less than a socket takes: the write is done when it returns.
      if sendsNext { _ = stream.write(frame) }
      return .proceed
    }

    func deliver() {}

    func wrote() {}

    func ended(_ error: RPCError?) {
      let continuation = state.withLock { state in
        defer { state.continuation = nil }
        return state.continuation
      }
      continuation?.resume(throwing: BenchmarkError("the nng echo has ended"))
    }
  }
}

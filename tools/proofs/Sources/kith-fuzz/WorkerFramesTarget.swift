import Dispatch
import KithRPC
import KithWire
import Synchronization
import TestingContract

/// What a worker reads: hello, headers and the frames of a caller. Whatever comes, each handler
/// must end.
struct WorkerFramesTarget: FuzzTarget {
  private static let hello: [UInt8] = [0x00, 0x53, 0x50, 0x00, 0x00, 0x30, 0x00, 0x00]

  func run(_ input: [UInt8]) {
    let server = RPCServer(services: [.streams(QuickStreams()), .once(QuickOnce())])
    let listener = FedListener()
    guard (try? server.start(on: listener)) != nil else { return }
    let stream = FedStream()
    listener.accept(stream)
    let (bytes, pieces) = FedFrames.bytes(of: input)
    stream.feed(Self.hello + bytes, pieces: pieces)
    stream.end()
    server.close()
    // One that never comes here is found by libFuzzer's timeout.
    let idle = DispatchSemaphore(value: 0)
    Task {
      await server.waitUntilIdle()
      idle.signal()
    }
    idle.wait()
  }
}

/// A listener that hands over what the fuzzer gives it.
private final class FedListener: Listener {
  private let accepting = Mutex<(@Sendable (any ByteStream) -> Void)?>(nil)

  let address = "fuzz"

  func start(accept: @escaping @Sendable (any ByteStream) -> Void) throws(RPCError) {
    accepting.withLock { $0 = accept }
  }

  func close() { accepting.withLock { $0 = nil } }

  func accept(_ stream: FedStream) { accepting.withLock { $0 }?(stream) }
}

private struct QuickStreams: StreamsHandler {
  func count(
    _ request: CountRequest, responses: ResponseWriter<Numbered>, context: CallContext
  ) async throws {
    for number in 0..<min(request.count, 100) {
      try await responses.write(Numbered(number: UInt64(number)))
    }
  }

  func sum(_ requests: RequestStream<Numbered>, context: CallContext) async throws -> SumResponse {
    var response = SumResponse()
    for try await request in requests { response.sum &+= request.number }
    return response
  }

  func echo(
    _ requests: RequestStream<Numbered>, responses: ResponseWriter<Numbered>, context: CallContext
  ) async throws {
    for try await request in requests { try await responses.write(request) }
  }
}

private struct QuickOnce: OnceHandler {
  func append(_ request: AppendRequest, context: CallContext) async throws -> AppendResponse {
    AppendResponse(entry: request.entry)
  }
}

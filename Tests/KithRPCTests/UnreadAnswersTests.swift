import KithWire
import Synchronization
import Testing

@testable import KithRPC

/// A caller that asks and asks, and does not read what it is answered.
@Suite(.timeLimit(.minutes(2)))
struct UnreadAnswersTests {
  private static let large = MethodDescriptor(service: "test.Large", method: "Get")
  private static let answerBytes = 64 << 10
  private static let calls = 600

  /// The caller's end: counts what comes in, once it reads.
  private final class Caller: ByteStreamReceiver {
    private struct State {
      var reads = false
      var parser: FrameParser
      var answers: Set<UInt32> = []
      var batches: [WireBuffer] = []
    }

    private let stream: any ByteStream
    private let state: Mutex<State>
    let isAnswered = Signal()

    init(_ stream: any ByteStream) {
      self.stream = stream
      state = Mutex(
        State(
          parser: FrameParser(
            framing: stream.framing, expectedHello: MessageHeader.workerHello, maximumBytes: 1 << 20
          )))
    }

    /// Says hello and asks all there is to ask.
    func ask() {
      stream.start(receiver: self)
      var hello = WireBuffer()
      hello.append(MessageHeader.callerHello)
      var batches = [hello]
      for number in 1...UInt32(UnreadAnswersTests.calls) {
        let frame = OutgoingFrame.caller(
          MessageHeader.idMark | number,
          start: CallStart(
            method: UnreadAnswersTests.large, metadata: [:], traceparent: ""),
          message: WireBuffer(headroom: 256), framing: stream.framing, inParts: false)
        if let sealed = frame.sealed { batches.append(sealed) }
      }
      state.withLock { $0.batches = batches.reversed() }
      wrote()
    }

    func wrote() {
      while let batch = state.withLock({ $0.batches.popLast() }), stream.write(batch) {}
    }

    /// Reads from now on.
    func read() {
      state.withLock { $0.reads = true }
      stream.resumeReading()
    }

    func received(_ bytes: UnsafeRawBufferPointer) -> ReadingDecision {
      let count = state.withLock { state -> Int in
        var events: [FrameParser.Event] = []
        try? state.parser.parse(bytes, into: &events)
        for case .message(let message) in events { state.answers.insert(message.id) }
        return state.answers.count
      }
      if count == UnreadAnswersTests.calls { isAnswered.set() }
      return state.withLock { $0.reads } ? .proceed : .pause
    }

    func deliver() {}
    func ended(_ error: RPCError?) {}
  }

  /// In pieces of three bytes so much would take minutes.
  @Test("unread answers", arguments: [.inProcess, .nng, .tls] as [TransportKind])
  func handlersWaitUntilTheAnswersBeforeThemAreRead(_ kind: TransportKind) async throws {
    let begun = Atomic(0)
    let service = ServiceDefinition(
      name: "test.Large",
      methods: [
        .encodedUnary(Self.large) { _, _ in
          begun.add(1, ordering: .relaxed)
          return [UInt8](repeating: 7, count: Self.answerBytes)
        }
      ])
    let limits = RPCLimits(maximumQueuedBytes: 1 << 20)
    let place = kind.makePlace()
    let server = RPCServer(services: [service], limits: limits)
    try server.start(on: place.makeListener())
    defer { server.close() }
    let stream = try await place.connector.connect(ConnectRequest()).stream
    let caller = Caller(stream)
    defer { stream.close() }
    caller.ask()
    // While nobody reads, as many begin as fill the queue, and what the transport holds beside it.
    let end = ContinuousClock.now + .seconds(60)
    while begun.load(ordering: .relaxed) < limits.maximumQueuedBytes / Self.answerBytes {
      try #require(.now < end, "fewer begin than fill the queue")
      try await Task.sleep(for: .milliseconds(1))
    }
    for _ in 0..<2_000 { await Task.yield() }
    let most = (limits.maximumQueuedBytes + 8 << 20) / Self.answerBytes
    #expect(begun.load(ordering: .relaxed) <= most, "most of them wait")
    caller.read()
    await caller.isAnswered.wait()
    #expect(begun.load(ordering: .relaxed) == Self.calls)
  }
}

import KithWire
import Synchronization

@testable import KithRPC

/// A caller that writes what it likes, in what pieces it likes, and remembers what it is answered.
final class RawCaller: ByteStreamReceiver {
  private struct State {
    var parser: FrameParser
    var waiting: [WireBuffer] = []
    var isWriting = false
    var statuses: [UInt32: CallStatus] = [:]
    var answered: [UInt32: Signal] = [:]
  }

  private let stream: any ByteStream
  private let state: Mutex<State>
  /// Set when the worker has said hello.
  let greeted = Signal()
  /// Set when the connection is over.
  let ended = Signal()

  /// Connects, and says hello unless it is to stay silent.
  static func connect(_ place: TransportPlace, greets: Bool = true) async throws -> RawCaller {
    let caller = RawCaller(try await place.connector.connect(ConnectRequest()).stream)
    caller.stream.start(receiver: caller)
    if greets { caller.send(MessageHeader.callerHello) }
    await caller.greeted.wait()
    return caller
  }

  private init(_ stream: any ByteStream) {
    self.stream = stream
    state = Mutex(
      State(
        parser: FrameParser(
          framing: stream.framing, expectedHello: MessageHeader.workerHello, maximumBytes: 32 << 20)
      ))
  }

  func close() { stream.close() }

  /// The id of the call of the given number.
  static func id(_ number: Int) -> UInt32 { MessageHeader.idMark | UInt32(number) }

  // MARK: - Sending

  func send(_ bytes: some Collection<UInt8>) {
    var buffer = WireBuffer()
    buffer.append(Array(bytes))
    let starts = state.withLock { state in
      state.waiting.append(buffer)
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if starts { write() }
  }

  /// The bytes of a whole call, or of a `start` without its message.
  func call(
    _ number: Int, _ method: MethodDescriptor, _ message: [UInt8]?, timeout: Int64? = nil,
    metadata: Metadata = [:], key: IdempotencyKey? = nil
  ) -> [UInt8] {
    var buffer: WireBuffer?
    if let message {
      var room = WireBuffer(headroom: 1024, capacity: message.count)
      room.append(message)
      buffer = room
    }
    let start = CallStart(
      method: method, timeoutMicroseconds: timeout, metadata: metadata, traceparent: "",
      idempotencyKey: key)
    let frame = OutgoingFrame.caller(
      Self.id(number), start: start, message: buffer, framing: stream.framing, inParts: false)
    return frame.sealed?.bytes ?? []
  }

  /// The bytes of the parts of a call's large message.
  func parts(_ number: Int, _ method: MethodDescriptor, _ message: [UInt8]) -> [[UInt8]] {
    var buffer = WireBuffer()
    buffer.append(message)
    let start = CallStart(method: method, metadata: [:], traceparent: "")
    var frame = OutgoingFrame.caller(
      Self.id(number), start: start, message: buffer, framing: stream.framing, inParts: true)
    var parts: [[UInt8]] = []
    while true {
      var part = WireBuffer()
      let isLast = frame.cut(into: &part, framing: stream.framing)
      parts.append(part.bytes)
      if isLast { return parts }
    }
  }

  /// Says that it takes parts.
  func takeParts() {
    let notice = ConnectionNotice(takesParts: true)
      .sealed(field: CallerFrame.connectionField, framing: stream.framing)
    send(notice.sealed?.bytes ?? [])
  }

  private func write() {
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

  // MARK: - What comes

  /// How a call ended; nil when the connection ended first.
  func status(_ number: Int) async -> CallStatus? {
    await signal(number).wait()
    return statusSoFar(number)
  }

  /// How a call ended, if it has.
  func statusSoFar(_ number: Int) -> CallStatus? {
    state.withLock { $0.statuses[Self.id(number)] }
  }

  private func signal(_ number: Int) -> Signal {
    let (signal, isAnswered) = state.withLock { state in
      let signal = state.answered[Self.id(number)] ?? Signal()
      state.answered[Self.id(number)] = signal
      return (signal, state.statuses[Self.id(number)] != nil)
    }
    if isAnswered || ended.isSet { signal.set() }
    return signal
  }

  func received(_ bytes: UnsafeRawBufferPointer) -> ReadingDecision {
    var events: [FrameParser.Event] = []
    try? state.withLock { state throws(FrameParser.Failure) in
      try state.parser.parse(bytes, into: &events)
    }
    for event in events {
      guard case .message(let message) = event else {
        greeted.set()
        continue
      }
      guard let status = (try? WorkerFrame(decoding: message.frame))?.status else { continue }
      let signal = state.withLock { state in
        state.statuses[message.id] = status
        return state.answered[message.id]
      }
      signal?.set()
    }
    return .proceed
  }

  func deliver() {}
  func wrote() { write() }

  func ended(_ error: RPCError?) {
    ended.set()
    greeted.set()
    for signal in state.withLock({ Array($0.answered.values) }) { signal.set() }
  }
}

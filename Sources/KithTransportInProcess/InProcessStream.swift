import Dispatch
import KithRPC
import KithWire
import Synchronization

/// One end of a stream in memory.
///
/// A batch that is written waits at the other end until that has read it, and only then is the
/// writer told that it may write the next: the same back-pressure as that of a full socket. What an
/// end is told, it is told on one thread at a time, and it goes on reading on another one while the
/// receiver delivers.
final class InProcessStream: ByteStream {
  private struct State {
    var receiver: (any ByteStreamReceiver)?
    /// What the other end has written and this one has not read, from `read` on.
    var incoming: WireBuffer?
    var read = 0
    var isPaused = false
    var isPumping = false
    var isClosed = false
    /// The other end is closed: this one ends when it has read what there is.
    var isAbandoned = false

    /// Whether there is something to tell the receiver.
    var hasNews: Bool {
      !isClosed && receiver != nil && (incoming == nil ? isAbandoned : !isPaused)
    }
  }

  /// The threads of all ends. Not those of Swift's own pool: like the threads of a real transport,
  /// these may be blocked by a handler without holding up a task.
  private static let threads = DispatchQueue(label: "kith.inprocess", attributes: .concurrent)

  let framing = MessageFraming.ipc
  let peer: PeerIdentity
  private let maximumReadBytes: Int
  private let state = Mutex(State())
  /// The other end. Weak, since the two would keep each other alive; set once, before any use.
  private let other = Mutex(WeakEnd())

  private struct WeakEnd {
    weak var stream: InProcessStream?
  }

  private init(peer: PeerIdentity, maximumReadBytes: Int) {
    self.peer = peer
    self.maximumReadBytes = maximumReadBytes
  }

  /// Two connected ends, which hand over at most `maximumReadBytes` at a time.
  static func pair(
    peer: PeerIdentity, maximumReadBytes: Int
  ) -> (InProcessStream, InProcessStream) {
    let first = InProcessStream(peer: peer, maximumReadBytes: maximumReadBytes)
    let second = InProcessStream(peer: peer, maximumReadBytes: maximumReadBytes)
    first.other.withLock { $0.stream = second }
    second.other.withLock { $0.stream = first }
    return (first, second)
  }

  deinit { otherEnd?.abandon() }

  func start(receiver: any ByteStreamReceiver) {
    let isOpen = state.withLock { state in
      if !state.isClosed { state.receiver = receiver }
      return !state.isClosed
    }
    guard isOpen else { return receiver.ended(nil) }
    pump()
  }

  func write(_ batch: WireBuffer) -> Bool {
    guard !state.withLock({ $0.isClosed }), let otherEnd else { return true }
    otherEnd.take(batch)
    return false
  }

  func resumeReading() {
    state.withLock { $0.isPaused = false }
    pump()
  }

  func close() {
    let receiver = state.withLock { state -> (any ByteStreamReceiver)? in
      guard !state.isClosed else { return nil }
      state.isClosed = true
      state.incoming = nil
      return state.receiver.take()
    }
    otherEnd?.abandon()
    receiver?.ended(nil)
  }

  private var otherEnd: InProcessStream? { other.withLock { $0.stream } }

  /// The other end has written.
  private func take(_ batch: WireBuffer) {
    state.withLock { state in
      state.incoming = batch
      state.read = 0
    }
    pump()
  }

  /// The other end is closed.
  private func abandon() {
    state.withLock { $0.isAbandoned = true }
    pump()
  }

  /// Hands over the next thing, on another thread; one at a time.
  private func pump() {
    let starts = state.withLock { state in
      guard !state.isPumping, state.hasNews else { return false }
      state.isPumping = true
      return true
    }
    if starts { Self.threads.async { self.handOver() } }
  }

  private func handOver() {
    switch nextStep() {
    case .read(let receiver, let batch, let piece, let isLast):
      let decision = batch.withUnsafeBytes { bytes in
        receiver.received(UnsafeRawBufferPointer(rebasing: bytes[piece]))
      }
      state.withLock { state in
        if decision == .pause { state.isPaused = true }
        state.isPumping = false
      }
      if isLast { otherEnd?.taken() }
      pump()
      receiver.deliver()
    case .end(let receiver): receiver.ended(nil)
    case nil: pump()
    }
  }

  private enum Step {
    case read(any ByteStreamReceiver, WireBuffer, Range<Int>, isLast: Bool)
    case end(any ByteStreamReceiver)
  }

  private func nextStep() -> Step? {
    state.withLock { state in
      guard !state.isClosed, let receiver = state.receiver else {
        state.isPumping = false
        return nil
      }
      if let batch = state.incoming, !state.isPaused {
        let end = min(state.read + maximumReadBytes, batch.count)
        let piece = state.read..<end
        let isLast = end == batch.count
        state.read = end
        if isLast { state.incoming = nil }
        return .read(receiver, batch, piece, isLast: isLast)
      }
      if state.incoming == nil, state.isAbandoned {
        state.isClosed = true
        state.receiver = nil
        state.isPumping = false
        return .end(receiver)
      }
      state.isPumping = false
      return nil
    }
  }

  /// The other end has read what this one wrote.
  private func taken() {
    let receiver = state.withLock { $0.isClosed ? nil : $0.receiver }
    receiver?.wrote()
  }
}

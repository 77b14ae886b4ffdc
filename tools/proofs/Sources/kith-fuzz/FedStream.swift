import Glibc
import KithRPC
import KithWire
import Synchronization

/// A stream whose other end is the fuzzer: what is written to it is dropped, what is read is what
/// it is fed.
final class FedStream: ByteStream {
  private let receiver = Mutex<(any ByteStreamReceiver)?>(nil)
  private let isPaused = Atomic(false)
  private let started: @Sendable () -> Void

  let framing = MessageFraming.ipc
  let peer = PeerIdentity(uid: geteuid(), gid: getegid(), pid: getpid())

  /// A stream that says when it is read from.
  init(started: @escaping @Sendable () -> Void = {}) { self.started = started }

  func start(receiver: any ByteStreamReceiver) {
    self.receiver.withLock { $0 = receiver }
    started()
  }

  func write(_ batch: WireBuffer) -> Bool { true }

  func resumeReading() { isPaused.store(false, ordering: .relaxed) }

  func close() { end() }

  /// Feeds bytes in pieces.
  func feed(_ bytes: [UInt8], pieces: Int) {
    var rest = bytes[...]
    while !rest.isEmpty, let receiver = receiver.withLock({ $0 }) {
      let piece = rest.prefix(pieces)
      rest = rest.dropFirst(pieces)
      let decision = piece.withUnsafeBytes { receiver.received($0) }
      if decision == .pause { isPaused.store(true, ordering: .relaxed) }
      receiver.deliver()
      // A reader who does not read on has had enough.
      if isPaused.load(ordering: .relaxed) { break }
    }
  }

  /// The other end is gone.
  func end() {
    let receiver = receiver.withLock { $0.take() }
    receiver?.ended(nil)
  }
}

/// How the bytes of an input become those of a stream.
enum FedFrames {
  /// The bytes, and how many are fed at a time. The first byte of an input chooses: pieces by its
  /// upper half, and whether the rest is taken as it is or, so that lengths are right, as records:
  /// a length, a call id, a frame.
  static func bytes(of input: [UInt8]) -> (bytes: [UInt8], pieces: Int) {
    guard let choice = input.first else { return ([], 1) }
    let pieces = [1, 3, 8, 9, 13, 64, 1000, 1 << 20][Int(choice >> 5)]
    var rest = input.dropFirst()
    guard choice & 1 == 0 else { return (Array(rest), pieces) }
    var bytes: [UInt8] = []
    while let length = rest.popFirst(), let id = rest.popFirst() {
      let frame = rest.prefix(Int(length))
      rest = rest.dropFirst(Int(length))
      bytes += [1, 0, 0, 0, 0, 0, 0, 0, UInt8(min(255, frame.count + 4))]
      bytes += [0x80, 0, 0, id] + frame
    }
    return (bytes, pieces)
  }
}

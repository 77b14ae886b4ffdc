import DequeModule
import KithWire

/// The frames that wait for a pipe, gathered into batches: a value that decides what is written next.
///
/// Small frames are copied behind each other, so that all that wait go out in one write; a large one
/// goes as it is. Frames leave in the order in which they came, which serves every call of a unary
/// pipe alike. A stream's frames will be admitted by their call's credit before they come here, one
/// frame of each call in turn.
struct WriteQueue {
  /// A frame of up to so many bytes is gathered with others.
  static let smallFrame = 16 << 10
  /// A batch of gathered frames is closed when it has so many bytes.
  static let batchSize = 128 << 10

  private struct Batch {
    var buffer: WireBuffer
    var frames: UInt64
  }

  private var closed = Deque<Batch>()
  private var gathering = Batch(buffer: WireBuffer(), frames: 0)
  private var writing: Batch?
  /// The memory of the last batch, for the next one.
  private var spare: WireBuffer?

  /// How many frames have been put in since the start; the place of the next one.
  private(set) var framesQueued: UInt64 = 0
  /// How many frames have been handed to the transport, in whole or in part.
  private(set) var framesSubmitted: UInt64 = 0
  /// How many bytes wait or are being written.
  private(set) var bytesQueued = 0

  /// Whether nothing waits and nothing is being written.
  var isEmpty: Bool { bytesQueued == 0 }

  /// Puts a frame in and answers its place.
  @discardableResult
  mutating func append(_ frame: WireBuffer) -> UInt64 {
    defer { framesQueued += 1 }
    bytesQueued += frame.count
    if frame.count > Self.smallFrame {
      close()
      closed.append(Batch(buffer: frame, frames: 1))
    } else {
      frame.withUnsafeBytes { gathering.buffer.append($0) }
      gathering.frames += 1
      if gathering.buffer.count >= Self.batchSize { close() }
    }
    return framesQueued
  }

  /// The next batch to write; nil while one is being written, or when none waits.
  mutating func next() -> WireBuffer? {
    guard writing == nil else { return nil }
    if closed.isEmpty { close() }
    guard let batch = closed.popFirst() else { return nil }
    framesSubmitted += batch.frames
    writing = batch
    return batch.buffer
  }

  /// The batch is written.
  mutating func wrote() {
    guard let written = writing.take() else { return }
    bytesQueued -= written.buffer.count
    // A large frame's memory is not kept for small ones.
    if written.frames > 0, written.buffer.count <= 2 * Self.batchSize { spare = written.buffer }
  }

  /// Whether the frame at `place` has been handed to the transport.
  func isSubmitted(_ place: UInt64) -> Bool { place < framesSubmitted }

  private mutating func close() {
    guard gathering.frames > 0 else { return }
    closed.append(gathering)
    var buffer = spare.take() ?? WireBuffer()
    buffer.removeAll()
    gathering = Batch(buffer: buffer, frames: 0)
  }
}

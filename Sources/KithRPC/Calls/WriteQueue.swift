import DequeModule
import KithWire

/// The frames that wait for a pipe, gathered into batches: a value that decides what is written
/// next.
///
/// Small frames are copied behind each other, so that all that wait go out in one write. A call
/// with a large message gets a lane, in which its later frames wait too, so that they stay in
/// order; each write takes the small frames that wait and one part of one lane, lane after lane. A
/// small frame therefore waits for at most one batch (``batchSize``) and one part
/// (``OutgoingFrame/partSize``) before it, however much the others have to say.
struct WriteQueue {
  /// A frame of up to so many bytes is gathered with others.
  static let smallFrame = 16 << 10
  /// A batch of gathered frames is closed when it has so many bytes.
  static let batchSize = 128 << 10

  /// Where a frame waits.
  enum Place: Equatable {
    /// Among the small ones, this many having been gathered before it.
    case gathered(UInt64)
    /// At the head of a new lane, the one of this number.
    case lane(UInt64)
    /// Behind others of its call.
    case behind
  }

  private struct Batch {
    var buffer = WireBuffer()
    /// How many gathered frames it holds.
    var frames: UInt64 = 0
    /// How much it counts in `bytesQueued`.
    var cost = 0
  }

  private struct Lane {
    var number: UInt64
    /// How many frames were gathered before it. Some may be of its call, so it waits until they are
    /// written.
    var after: UInt64
    var frames: Deque<OutgoingFrame>
    var hasBegun = false
  }

  private let framing: MessageFraming
  private var closed = Deque<Batch>()
  private var gathering = Batch()
  private var lanes: [UInt32: Lane] = [:]
  /// The lanes in the order of their turns.
  private var turns = Deque<UInt32>()
  private var lastLane: UInt64 = 0
  private var writing: Batch?
  /// The memory of the last batch, for the next one.
  private var spare: WireBuffer?
  private var framesGathered: UInt64 = 0
  private var framesSubmitted: UInt64 = 0

  /// How many bytes wait or are being written.
  private(set) var bytesQueued = 0

  /// An empty queue for a pipe.
  init(framing: MessageFraming) { self.framing = framing }

  /// Whether nothing waits and nothing is being written.
  var isEmpty: Bool { bytesQueued == 0 }

  /// Puts bytes in that are no frame: the hello.
  mutating func append(raw bytes: [UInt8]) {
    gathering.buffer.append(bytes)
    gathering.frames += 1
    gathering.cost += bytes.count
    framesGathered += 1
    bytesQueued += bytes.count
  }

  /// Where a frame would wait.
  func place(of frame: OutgoingFrame) -> Place {
    if !lanes.isEmpty, lanes[frame.id] != nil { return .behind }
    guard frame.count <= Self.smallFrame, frame.sealed != nil else { return .lane(lastLane + 1) }
    return .gathered(framesGathered)
  }

  /// Puts a frame in.
  mutating func append(_ frame: OutgoingFrame) {
    let count = frame.count
    bytesQueued += count
    if !lanes.isEmpty, lanes[frame.id] != nil {
      lanes[frame.id]?.frames.append(frame)
    } else if count <= Self.smallFrame, let sealed = frame.sealed {
      sealed.withUnsafeBytes { gathering.buffer.append($0) }
      gathering.frames += 1
      gathering.cost += count
      framesGathered += 1
      if gathering.buffer.count >= Self.batchSize { close() }
    } else {
      lastLane += 1
      lanes[frame.id] = Lane(number: lastLane, after: framesGathered, frames: [frame])
      turns.append(frame.id)
    }
  }

  /// The next batch to write; nil while one is being written, or when none waits.
  mutating func next() -> WireBuffer? {
    guard writing == nil else { return nil }
    if closed.isEmpty, gathering.frames > 0 || !turns.isEmpty { close() }
    guard var batch = closed.popFirst() else { return nil }
    if !turns.isEmpty { takeTurn(into: &batch) }
    framesSubmitted += batch.frames
    writing = batch
    return batch.buffer
  }

  /// Adds what the next lane may write now: frames up to the size of a part.
  private mutating func takeTurn(into batch: inout Batch) {
    let written = framesSubmitted + batch.frames
    guard let turn = turns.firstIndex(where: { lanes[$0].map { $0.after <= written } ?? true })
    else { return }
    let id = turns.remove(at: turn)
    guard var lane = lanes.removeValue(forKey: id) else { return }
    lane.hasBegun = true
    let limit = batch.buffer.count + OutgoingFrame.partSize
    while var frame = lane.frames.popFirst() {
      let before = frame.count
      if frame.cut(into: &batch.buffer, framing: framing) {
        batch.cost += before
      } else {
        batch.cost += before - frame.count
        lane.frames.prepend(frame)
      }
      if batch.buffer.count >= limit { break }
    }
    guard !lane.frames.isEmpty else { return }
    lanes[id] = lane
    turns.append(id)
  }

  /// The batch is written.
  mutating func wrote() {
    guard let written = writing.take() else { return }
    bytesQueued -= written.cost
    // A large message's memory is not kept for small ones.
    if written.buffer.count <= 2 * Self.batchSize { spare = written.buffer }
  }

  /// Whether the frame of call `id` that was put at `place` has been handed to the transport, at
  /// least in part.
  func isSubmitted(_ place: Place, of id: UInt32) -> Bool {
    switch place {
    case .gathered(let number): return number < framesSubmitted
    case .lane(let number):
      guard let lane = lanes[id], lane.number == number else { return true }
      return lane.hasBegun
    case .behind: return true
    }
  }

  /// Throws away what still waits in the lane of a call that is over.
  mutating func discard(_ id: UInt32) {
    guard !lanes.isEmpty, let lane = lanes.removeValue(forKey: id) else { return }
    turns.removeAll { $0 == id }
    bytesQueued -= lane.frames.reduce(0) { $0 + $1.count }
  }

  private mutating func close() {
    closed.append(gathering)
    var buffer = spare.take() ?? WireBuffer()
    buffer.removeAll()
    gathering = Batch(buffer: buffer)
  }
}

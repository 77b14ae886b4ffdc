/// A growable buffer of bytes with room in front of them.
///
/// A message is packed straight into it, and what must stand before the message (an envelope, a frame's header) is then
/// written into the head room, so that no byte of the message moves. It has one owner and frees its memory by itself.
public struct WireBuffer: ~Copyable {
  private var base: UnsafeMutableRawPointer
  private var capacity: Int
  private var start: Int
  private var end: Int

  /// An empty buffer with `headRoom` bytes in front and space for `capacity` bytes behind them.
  public init(headRoom: Int = 0, capacity: Int = 256) {
    precondition(headRoom >= 0 && capacity >= 0, "a buffer has no negative size")
    self.capacity = max(headRoom + capacity, 16)
    self.base = .allocate(byteCount: self.capacity, alignment: 16)
    self.start = headRoom
    self.end = headRoom
  }

  deinit { base.deallocate() }

  /// How many bytes it holds, the head room apart.
  public var count: Int { end - start }

  /// Whether it holds no bytes.
  public var isEmpty: Bool { end == start }

  /// How many bytes can still be put in front.
  public var headRoom: Int { start }

  /// How many bytes the memory has room for, head room included.
  public var allocatedBytes: Int { capacity }

  /// Forgets the bytes and keeps the memory, with `headRoom` bytes in front.
  public mutating func removeAll(headRoom: Int = 0) {
    start = 0
    end = 0
    reserve(headRoom)
    start = headRoom
    end = headRoom
  }

  /// Forgets what was appended since the buffer held `count` bytes.
  public mutating func truncate(to count: Int) {
    precondition(count >= 0 && count <= self.count, "a buffer is only ever cut shorter")
    end = start + count
  }

  /// Appends one byte.
  public mutating func append(_ byte: UInt8) {
    reserve(1)
    base.storeBytes(of: byte, toByteOffset: end, as: UInt8.self)
    end += 1
  }

  /// Appends bytes.
  public mutating func append(contentsOf bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return }
    reserve(bytes.count)
    (base + end).copyMemory(from: source, byteCount: bytes.count)
    end += bytes.count
  }

  /// Appends bytes.
  public mutating func append(contentsOf bytes: [UInt8]) {
    bytes.withUnsafeBytes { append(contentsOf: $0) }
  }

  /// Appends exactly `count` bytes, written by `body`, which is handed memory that is not initialised.
  public mutating func append(count: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) {
    reserve(count)
    body(UnsafeMutableRawBufferPointer(start: base + end, count: count))
    end += count
  }

  /// Puts exactly `count` bytes in front, written by `body` into the head room.
  public mutating func prepend(count: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) {
    precondition(count >= 0 && count <= start, "the head room is too small")
    start -= count
    body(UnsafeMutableRawBufferPointer(start: base + start, count: count))
  }

  /// Lends the bytes for the duration of `body`.
  public borrowing func withUnsafeBytes<Value, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try body(UnsafeRawBufferPointer(start: base + start, count: end - start))
  }

  /// The bytes, copied.
  public var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

  private mutating func reserve(_ additional: Int) {
    precondition(additional >= 0, "a buffer has no negative size")
    guard capacity - end < additional else { return }
    let grown = max(capacity * 2, end + additional)
    let fresh = UnsafeMutableRawPointer.allocate(byteCount: grown, alignment: 16)
    (fresh + start).copyMemory(from: base + start, byteCount: end - start)
    base.deallocate()
    base = fresh
    capacity = grown
  }
}

// Unchecked because it holds a raw pointer; sound because it has exactly one owner, who alone can reach the memory.
extension WireBuffer: @unchecked Sendable {}

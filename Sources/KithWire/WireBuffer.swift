/// A growable buffer of bytes with room in front of them.
///
/// A message is packed straight into it, and what must stand before the message (an envelope, a frame's header) is then
/// written into the head room, so that no byte of the message moves. It has one owner and frees its memory by itself.
public struct WireBuffer: ~Copyable {
  @usableFromInline var base: UnsafeMutableRawPointer
  @usableFromInline var capacity: Int
  @usableFromInline var start: Int
  @usableFromInline var end: Int

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
  @inlinable
  public var count: Int { end - start }

  /// Whether it holds no bytes.
  @inlinable
  public var isEmpty: Bool { end == start }

  /// How many bytes can be put in front before those that are there must move.
  @inlinable
  public var headRoom: Int { start }

  /// How many bytes the memory has room for, head room included.
  @inlinable
  public var allocatedBytes: Int { capacity }

  /// The bytes, copied.
  public var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

  /// Lends the bytes for the duration of `body`.
  @inlinable
  public borrowing func withUnsafeBytes<Value, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try body(UnsafeRawBufferPointer(start: base + start, count: end - start))
  }

  // MARK: - Behind

  /// Appends exactly `count` bytes, written by `body`, which is handed memory that is not initialised.
  @inlinable
  public mutating func append(count: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) {
    reserve(count)
    body(UnsafeMutableRawBufferPointer(start: base + end, count: count))
    end += count
  }

  /// Appends one byte.
  @inlinable
  public mutating func append(_ byte: UInt8) {
    append(count: 1) { $0[0] = byte }
  }

  /// Appends bytes.
  @inlinable
  public mutating func append(contentsOf bytes: UnsafeRawBufferPointer) {
    append(count: bytes.count) { $0.copyMemory(from: bytes) }
  }

  /// Appends bytes.
  @inlinable
  public mutating func append(contentsOf bytes: [UInt8]) {
    bytes.withUnsafeBytes { append(contentsOf: $0) }
  }

  /// Appends a number in groups of seven bits.
  @inlinable
  public mutating func append(varint number: UInt64) {
    append(count: Self.size(ofVarint: number)) { Self.write(varint: number, to: $0) }
  }

  // MARK: - In front

  /// Puts exactly `count` bytes in front, written by `body`, which is handed memory that is not initialised: head room
  /// where that is enough, else all bytes move to make some.
  @inlinable
  public mutating func prepend(count: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) {
    if count > start { makeHeadRoom(count) }
    start -= count
    body(UnsafeMutableRawBufferPointer(start: base + start, count: count))
  }

  /// Puts one byte in front.
  @inlinable
  public mutating func prepend(_ byte: UInt8) {
    prepend(count: 1) { $0[0] = byte }
  }

  /// Puts bytes in front.
  @inlinable
  public mutating func prepend(contentsOf bytes: UnsafeRawBufferPointer) {
    prepend(count: bytes.count) { $0.copyMemory(from: bytes) }
  }

  /// Puts bytes in front.
  @inlinable
  public mutating func prepend(contentsOf bytes: [UInt8]) {
    bytes.withUnsafeBytes { prepend(contentsOf: $0) }
  }

  /// Puts a number in groups of seven bits in front.
  @inlinable
  public mutating func prepend(varint number: UInt64) {
    prepend(count: Self.size(ofVarint: number)) { Self.write(varint: number, to: $0) }
  }

  // MARK: - Room

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

  /// Makes room for `additional` bytes behind those that are there.
  @inlinable
  public mutating func reserve(_ additional: Int) {
    precondition(additional >= 0, "a buffer has no negative size")
    if capacity - end < additional {
      move(to: start, capacity: max(capacity * 2, end + additional))
    }
  }

  /// Makes `headRoom` bytes of room in front of those that are there.
  @usableFromInline
  mutating func makeHeadRoom(_ headRoom: Int) {
    move(to: headRoom, capacity: capacity + headRoom)
  }

  /// Moves the bytes to `newStart` in new memory.
  @usableFromInline
  mutating func move(to newStart: Int, capacity newCapacity: Int) {
    let fresh = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 16)
    (fresh + newStart).copyMemory(from: base + start, byteCount: count)
    base.deallocate()
    base = fresh
    end = newStart + count
    start = newStart
    capacity = newCapacity
  }

  @inlinable
  static func size(ofVarint number: UInt64) -> Int {
    (70 - (number | 1).leadingZeroBitCount) / 7
  }

  @inlinable
  static func write(varint number: UInt64, to memory: UnsafeMutableRawBufferPointer) {
    var rest = number
    for index in 0..<memory.count - 1 {
      memory[index] = UInt8(truncatingIfNeeded: rest) | 0x80
      rest >>= 7
    }
    memory[memory.count - 1] = UInt8(rest)
  }
}

// Unchecked because it holds a raw pointer; sound because it has exactly one owner, who alone can reach the memory.
extension WireBuffer: @unchecked Sendable {}

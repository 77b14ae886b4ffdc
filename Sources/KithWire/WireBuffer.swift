/// Bytes that grow at both ends.
///
/// A frame is written from the inside out: the message first, then in front of it what its length
/// decides, in head room that was reserved for it, so that no byte is moved.
///
/// Copies share memory until one of them is changed.
public struct WireBuffer: Sendable {
  /// The memory. Sendable: it is changed only through a buffer that is its one owner.
  @usableFromInline
  final class Storage: @unchecked Sendable {
    @usableFromInline let memory: UnsafeMutableRawPointer
    @usableFromInline let capacity: Int

    @usableFromInline
    init(capacity: Int) {
      memory = .allocate(byteCount: max(capacity, 1), alignment: 16)
      self.capacity = capacity
    }

    deinit { memory.deallocate() }
  }

  @usableFromInline var storage: Storage
  @usableFromInline var start: Int
  @usableFromInline var end: Int

  /// An empty buffer with room for `headroom` bytes in front and `capacity` bytes behind.
  @inlinable
  public init(headroom: Int = 0, capacity: Int = 0) {
    storage = Storage(capacity: headroom + capacity)
    start = headroom
    end = headroom
  }

  /// How many bytes there are.
  @inlinable
  public var count: Int { end - start }

  /// Whether there are none.
  @inlinable
  public var isEmpty: Bool { start == end }

  /// How many bytes can be put in front before memory must be moved.
  @inlinable
  public var headroom: Int { start }

  /// The bytes, in place. Valid while this buffer, or a copy of it, is neither changed nor
  /// released: keep one as long as C reads from here.
  @inlinable
  public var unsafeBytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: storage.memory + start, count: end - start)
  }

  /// The bytes, as a copy.
  @inlinable
  public var bytes: [UInt8] {
    withExtendedLifetime(storage) { [UInt8](unsafeBytes) }
  }

  /// Calls `body` with the bytes, which are valid during the call.
  @inlinable
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(storage) {} }
    return try body(unsafeBytes)
  }

  // MARK: - Behind

  /// Appends `count` bytes that `write` fills in, all of them.
  @inlinable
  public mutating func append(count: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void) {
    reserve(front: 0, back: count)
    write(UnsafeMutableRawBufferPointer(start: storage.memory + end, count: count))
    end += count
  }

  /// Appends bytes.
  @inlinable
  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    append(count: bytes.count) { $0.copyMemory(from: bytes) }
  }

  /// Appends bytes.
  @inlinable
  public mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { append($0) }
  }

  /// Appends a byte.
  @inlinable
  public mutating func append(_ byte: UInt8) {
    append(count: 1) { $0[0] = byte }
  }

  /// Appends a number in groups of seven bits.
  @inlinable
  public mutating func append(varint number: UInt64) {
    append(count: Self.size(ofVarint: number)) { Self.write(varint: number, to: $0) }
  }

  /// Appends a number, highest byte first.
  @inlinable
  public mutating func append(bigEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append($0) }
  }

  // MARK: - In front

  /// Puts `count` bytes in front, which `write` fills in, all of them.
  @inlinable
  public mutating func prepend(count: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void) {
    reserve(front: count, back: 0)
    start -= count
    write(UnsafeMutableRawBufferPointer(start: storage.memory + start, count: count))
  }

  /// Puts bytes in front.
  @inlinable
  public mutating func prepend(_ bytes: UnsafeRawBufferPointer) {
    prepend(count: bytes.count) { $0.copyMemory(from: bytes) }
  }

  /// Puts bytes in front.
  @inlinable
  public mutating func prepend(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { prepend($0) }
  }

  /// Puts a byte in front.
  @inlinable
  public mutating func prepend(_ byte: UInt8) {
    prepend(count: 1) { $0[0] = byte }
  }

  /// Puts a number in groups of seven bits in front.
  @inlinable
  public mutating func prepend(varint number: UInt64) {
    prepend(count: Self.size(ofVarint: number)) { Self.write(varint: number, to: $0) }
  }

  /// Puts a number in front, highest byte first.
  @inlinable
  public mutating func prepend(bigEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { prepend($0) }
  }

  // MARK: - Room

  /// Removes bytes from the front; they become head room.
  @inlinable
  public mutating func removeFirst(_ count: Int) {
    precondition(count >= 0 && count <= self.count, "more bytes are removed than there are")
    start += count
  }

  /// Removes bytes from the back.
  @inlinable
  public mutating func removeLast(_ count: Int) {
    precondition(count >= 0 && count <= self.count, "more bytes are removed than there are")
    end -= count
  }

  /// Removes all bytes and keeps the memory, `headroom` of it in front.
  @inlinable
  public mutating func removeAll(headroom: Int = 0) {
    guard isKnownUniquelyReferenced(&storage), storage.capacity >= headroom else {
      self = WireBuffer(headroom: headroom)
      return
    }
    start = headroom
    end = headroom
  }

  /// Makes room for so many more bytes in front and behind.
  @inlinable
  public mutating func reserve(front: Int, back: Int) {
    if start >= front, storage.capacity - end >= back, isKnownUniquelyReferenced(&storage) {
      return
    }
    move(front: front, back: back)
  }

  /// Moves the bytes into memory of their own, twice as large as before where they had too little
  /// room.
  @usableFromInline
  mutating func move(front: Int, back: Int) {
    let newStart = start >= front ? start : max(front, count / 2)
    let room = storage.capacity - end
    let newRoom = room >= back ? room : max(back, count, 64)
    let moved = Storage(capacity: newStart + count + newRoom)
    (moved.memory + newStart).copyMemory(from: storage.memory + start, byteCount: count)
    end = newStart + count
    start = newStart
    storage = moved
  }

  @usableFromInline
  static func size(ofVarint number: UInt64) -> Int {
    (70 - (number | 1).leadingZeroBitCount) / 7
  }

  @usableFromInline
  static func write(varint number: UInt64, to memory: UnsafeMutableRawBufferPointer) {
    var rest = number
    for index in memory.indices.dropLast() {
      memory[index] = UInt8(truncatingIfNeeded: rest) | 0x80
      rest >>= 7
    }
    memory[memory.count - 1] = UInt8(rest)
  }
}

extension WireBuffer: Equatable {
  /// Whether two buffers hold the same bytes.
  public static func == (left: WireBuffer, right: WireBuffer) -> Bool {
    left.withUnsafeBytes { left in right.withUnsafeBytes { right in left.elementsEqual(right) } }
  }
}

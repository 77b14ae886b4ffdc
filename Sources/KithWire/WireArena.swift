import CProtobufC

/// Memory for one message on the C side: taken in one piece where the message is of usual size,
/// given back in one go.
///
/// libprotobuf-c allocates each field by itself and frees it by itself; here the first is an
/// addition and the second nothing. The memory is bounded: past the limit the arena answers as an
/// allocator does that has run out.
public struct WireArena: ~Copyable {
  /// What stands at the start of the first block.
  @usableFromInline
  struct Header {
    /// Where the next piece begins.
    @usableFromInline var next: UnsafeMutableRawPointer
    /// The end of the current block.
    @usableFromInline var end: UnsafeMutableRawPointer
    /// The block that was taken last, when that is not the first.
    var lastBlock: UnsafeMutableRawPointer?
    /// How many bytes blocks may still be taken for.
    var remaining: Int
    /// How large the next block is.
    var nextBlockSize: Int
    /// How deep the message being filled is nested.
    @usableFromInline var depth: Int
    /// Whether a piece was refused.
    var isExhausted: Bool
    /// What libprotobuf-c is handed.
    var allocator: ProtobufCAllocator
  }

  @usableFromInline let header: UnsafeMutablePointer<Header>

  /// Pieces are aligned for every C type of a message.
  @usableFromInline static var alignment: Int { 8 }

  /// An arena for a message to be written. It is bounded by the value that it is filled from.
  public init() {
    self.init(blockSize: 1000, limit: .max)
  }

  /// An arena for a message of `byteCount` bytes to be read, with at most `limit` bytes.
  public init(forDecoding byteCount: Int, limit: Int) {
    self.init(blockSize: min(max(1000, 4 * byteCount), 64 << 10), limit: limit)
  }

  private init(blockSize: Int, limit: Int) {
    let block = UnsafeMutableRawPointer.allocate(byteCount: blockSize, alignment: 16)
    header = block.assumingMemoryBound(to: Header.self)
    header.initialize(
      to: Header(
        next: block + Self.roundedUp(MemoryLayout<Header>.size), end: block + blockSize,
        lastBlock: nil, remaining: limit, nextBlockSize: 2 * blockSize, depth: 0,
        isExhausted: false,
        allocator: ProtobufCAllocator(
          alloc: { header, size in
            header?.assumingMemoryBound(to: Header.self).pointee.allocate(size)
          },
          free: { _, _ in },  // All of it goes with the arena.
          allocator_data: block)))
  }

  deinit {
    var block = header.pointee.lastBlock
    while let memory = block {
      block = memory.load(as: UnsafeMutableRawPointer?.self)
      memory.deallocate()
    }
    UnsafeMutableRawPointer(header).deallocate()
  }

  /// A piece of `byteCount` uninitialised bytes.
  @inlinable
  public func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
    let piece = header.pointee.next
    let size = (byteCount &+ (Self.alignment - 1)) & ~(Self.alignment - 1)
    guard header.pointee.end - piece >= size else { return allocateInNewBlock(byteCount) }
    header.pointee.next = piece + size
    return piece
  }

  @usableFromInline
  func allocateInNewBlock(_ byteCount: Int) -> UnsafeMutableRawPointer {
    guard let piece = header.pointee.allocate(byteCount) else {
      // An arena for writing has no limit but the address space.
      preconditionFailure("a message of \(byteCount) bytes does not fit into memory")
    }
    return piece
  }

  static func roundedUp(_ size: Int) -> Int { (size &+ (alignment - 1)) & ~(alignment - 1) }
}

extension WireArena.Header {
  /// A piece of `byteCount` bytes, from a new block when the current one is used up; nil past the
  /// limit.
  fileprivate mutating func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer? {
    let size = WireArena.roundedUp(byteCount)
    if end - next < size {
      let link = WireArena.roundedUp(MemoryLayout<UnsafeMutableRawPointer?>.size)
      let (blockSize, overflow) = max(size, nextBlockSize).addingReportingOverflow(link)
      guard size >= 0, !overflow, blockSize <= remaining else {
        isExhausted = true
        return nil
      }
      let block = UnsafeMutableRawPointer.allocate(byteCount: blockSize, alignment: 16)
      block.storeBytes(of: lastBlock, as: UnsafeMutableRawPointer?.self)
      lastBlock = block
      remaining -= blockSize
      nextBlockSize = min(2 * nextBlockSize, 1 << 20)
      next = block + link
      end = block + blockSize
    }
    defer { next += size }
    return next
  }
}

// MARK: - Reading

extension WireArena {
  /// Unpacks a message into the arena and returns its C struct, which lives as long as the arena.
  public func unpack(
    _ bytes: UnsafeRawBufferPointer, as layout: WireLayout, limits: DecodingLimits
  ) throws(WireError) -> UnsafeRawPointer {
    guard bytes.count <= limits.maximumBytes else {
      throw WireError(
        .tooLarge,
        "\(layout.fullName) has \(bytes.count) bytes; at most \(limits.maximumBytes) are taken")
    }
    // libprotobuf-c recurses for each message in a message and knows no bound. Most messages have
    // one by definition.
    if layout.depth.map({ $0 > limits.maximumDepth }) ?? true {
      try MessageDepth.check(bytes, as: layout, limit: limits.maximumDepth)
    }
    let unpacked = withUnsafeMutablePointer(to: &header.pointee.allocator) { allocator in
      protobuf_c_message_unpack(
        layout.descriptor, allocator, bytes.count,
        bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
    }
    guard let unpacked else {
      throw header.pointee.isExhausted
        ? WireError(
          .tooLarge,
          "\(layout.fullName) needs more memory than the \(limits.maximumMemory) bytes that are allowed"
        )
        : WireError(
          .malformed,
          "the bytes are no \(layout.fullName): a field is cut short or has another type than the contract says"
        )
    }
    return UnsafeRawPointer(unpacked)
  }
}

// MARK: - Writing

extension WireArena {
  /// How many bytes the C struct at `message` encodes to.
  public func packedSize(of message: UnsafeMutableRawPointer) throws(WireError) -> Int {
    let message = message.assumingMemoryBound(to: ProtobufCMessage.self)
    let size = protobuf_c_message_get_packed_size(message)
    guard size <= Int(Int32.max) else {
      throw WireError(
        .tooLarge,
        "\(String(cString: message.pointee.descriptor.pointee.name)) encodes to \(size) bytes; protobuf allows less than 2 GiB"
      )
    }
    return size
  }

  /// Encodes the C struct at `message` into `memory`, which has ``packedSize(of:)`` bytes.
  public static func pack(
    _ message: UnsafeMutableRawPointer, into memory: UnsafeMutableRawBufferPointer
  ) {
    guard let base = memory.baseAddress else { return }
    protobuf_c_message_pack(
      message.assumingMemoryBound(to: ProtobufCMessage.self),
      base.assumingMemoryBound(to: UInt8.self))
  }

  /// Copies a text as a `ProtobufCBinaryData`, the type that `CBytes` stands for.
  @inlinable
  public func copy<CBytes: BitwiseCopyable>(_ text: String) -> CBytes {
    var text = text
    return text.withUTF8 { utf8 in
      unsafeBitCast(copy(UnsafeRawBufferPointer(utf8)), to: CBytes.self)
    }
  }

  /// Copies bytes as a `ProtobufCBinaryData`, the type that `CBytes` stands for.
  @inlinable
  public func copy<CBytes: BitwiseCopyable>(_ bytes: [UInt8]) -> CBytes {
    bytes.withUnsafeBytes { bytes in unsafeBitCast(copy(bytes), to: CBytes.self) }
  }

  @inlinable
  func copy(_ bytes: UnsafeRawBufferPointer) -> ByteString {
    guard !bytes.isEmpty, let source = bytes.baseAddress else {
      return ByteString(count: 0, data: nil)
    }
    let memory = allocate(byteCount: bytes.count)
    memory.copyMemory(from: source, byteCount: bytes.count)
    return ByteString(count: bytes.count, data: memory.assumingMemoryBound(to: UInt8.self))
  }

  /// Copies numbers that C and Swift lay out alike.
  @inlinable
  public func copy<Number: BitwiseCopyable>(
    _ numbers: [Number]
  ) -> (UnsafeMutablePointer<Number>?, Int) {
    guard !numbers.isEmpty else { return (nil, 0) }
    let memory = array(of: Number.self, count: numbers.count)
    memory.initialize(from: numbers, count: numbers.count)
    return (memory, numbers.count)
  }

  /// Copies switches into the 64-bit numbers that stand for them on the C side.
  public func copy(_ switches: [Bool]) -> (UnsafeMutablePointer<UInt64>?, Int) {
    guard !switches.isEmpty else { return (nil, 0) }
    let memory = array(of: UInt64.self, count: switches.count)
    for index in switches.indices { (memory + index).initialize(to: switches[index] ? 1 : 0) }
    return (memory, switches.count)
  }

  /// Copies the numbers of enumeration values.
  public func copy<Value: WireEnum>(_ values: [Value]) -> (UnsafeMutablePointer<Int32>?, Int) {
    guard !values.isEmpty else { return (nil, 0) }
    let memory = array(of: Int32.self, count: values.count)
    for index in values.indices { (memory + index).initialize(to: values[index].rawValue) }
    return (memory, values.count)
  }

  /// Copies texts into a list of `ProtobufCBinaryData`, the type that `CBytes` stands for.
  @inlinable
  public func copy<CBytes: BitwiseCopyable>(
    _ texts: [String]
  ) -> (UnsafeMutablePointer<CBytes>?, Int) {
    guard !texts.isEmpty else { return (nil, 0) }
    let list = array(of: CBytes.self, count: texts.count)
    for index in texts.indices { (list + index).initialize(to: copy(texts[index])) }
    return (list, texts.count)
  }

  /// Copies byte strings into a list of `ProtobufCBinaryData`, the type that `CBytes` stands for.
  @inlinable
  public func copy<CBytes: BitwiseCopyable>(
    _ strings: [[UInt8]]
  ) -> (UnsafeMutablePointer<CBytes>?, Int) {
    guard !strings.isEmpty else { return (nil, 0) }
    let list = array(of: CBytes.self, count: strings.count)
    for index in strings.indices { (list + index).initialize(to: copy(strings[index])) }
    return (list, strings.count)
  }

  /// Hands the unknown fields of a message to its C struct.
  @inlinable
  public func fill(_ unknownFields: UnknownFields, into message: UnsafeMutableRawPointer) {
    if !unknownFields.isEmpty { fillUnknown(unknownFields, into: message) }
  }

  /// libprotobuf-c writes an unknown field as its tag and then its data as it is. One whose data is
  /// all that follows the first tag brings out all of them.
  @usableFromInline
  func fillUnknown(_ unknownFields: UnknownFields, into message: UnsafeMutableRawPointer) {
    let bytes = unknownFields.bytes.withUnsafeBytes { copy($0) }
    guard let data = bytes.data else { return }
    var reader = WireReader(UnsafeRawBufferPointer(start: data, count: bytes.count))
    guard let tag = try? reader.tag() else { return }
    let field = array(of: ProtobufCMessageUnknownField.self, count: 1)
    field.initialize(
      to: ProtobufCMessageUnknownField(
        tag: UInt32(tag.field), wire_type: ProtobufCWireType(UInt32(tag.type.rawValue)),
        len: bytes.count - reader.offset, data: data + reader.offset))
    let message = message.assumingMemoryBound(to: ProtobufCMessage.self)
    message.pointee.n_unknown_fields = 1
    message.pointee.unknown_fields = field
  }

  /// Uninitialised memory for `count` values.
  @inlinable
  public func array<Element: BitwiseCopyable>(
    of type: Element.Type = Element.self, count: Int
  ) -> UnsafeMutablePointer<Element> {
    allocate(byteCount: count * MemoryLayout<Element>.stride)
      .bindMemory(to: Element.self, capacity: count)
  }

  /// Fills a new C struct from `message`, one level deeper than the message that it belongs to.
  @inlinable
  public func fill<Message: GeneratedMessage, CMessage>(
    one message: Message, as type: CMessage.Type = CMessage.self
  ) throws(WireError) -> UnsafeMutablePointer<CMessage> {
    header.pointee.depth += 1
    guard header.pointee.depth <= DecodingLimits.standard.maximumDepth else {
      throw WireError(
        .tooDeep,
        "\(Message.fullName) is nested deeper than \(DecodingLimits.standard.maximumDepth) messages"
      )
    }
    let memory = allocate(byteCount: MemoryLayout<CMessage>.stride)
      .bindMemory(to: CMessage.self, capacity: 1)
    try message.fill(memory, in: self)
    header.pointee.depth -= 1
    return memory
  }

  /// Fills a list of one from a message field that is set, and none from one that is not.
  @inlinable
  public func fill<Message: GeneratedMessage, CMessage>(
    _ message: Message?
  ) throws(WireError) -> (UnsafeMutablePointer<UnsafeMutablePointer<CMessage>?>?, Int) {
    guard let message else { return (nil, 0) }
    let list = array(of: UnsafeMutablePointer<CMessage>?.self, count: 1)
    list.initialize(to: try fill(one: message))
    return (list, 1)
  }

  /// Fills a list from messages.
  @inlinable
  public func fill<Message: GeneratedMessage, CMessage>(
    _ messages: [Message]
  ) throws(WireError) -> (UnsafeMutablePointer<UnsafeMutablePointer<CMessage>?>?, Int) {
    guard !messages.isEmpty else { return (nil, 0) }
    let list = array(of: UnsafeMutablePointer<CMessage>?.self, count: messages.count)
    for index in messages.indices {
      (list + index).initialize(to: try fill(one: messages[index]))
    }
    return (list, messages.count)
  }
}

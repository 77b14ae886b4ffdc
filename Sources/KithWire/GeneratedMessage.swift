/// What the generator writes for a message, beside its properties: how to get from the C struct of
/// protoc-c to the Swift value and back. Not for use by hand: call ``WireMessage``'s
/// `init(decoding:)` and `encode(into:)`.
///
/// The struct travels as a raw pointer, so that no C type shows in the interface of a contract.
public protocol GeneratedMessage: WireMessage, TextOutputStreamable,
  CustomDebugStringConvertible, CustomReflectable
{
  /// The C side's description of the message.
  static var layout: WireLayout { get }

  /// Takes over what the unpacked C struct at `message` holds, as protobuf merges: a field that is
  /// set replaces, a repeated one is appended, a message is merged.
  mutating func merge(unpacked message: UnsafeRawPointer) throws(WireError)

  /// Initialises the C struct at `message` from this value; what it points to lives in `arena`.
  func fill(_ message: UnsafeMutableRawPointer, in arena: borrowing WireArena) throws(WireError)

  /// Adds the fields that are not at their default to a description of the message.
  func describe(into text: inout MessageDescription)
}

extension GeneratedMessage {
  /// Reads a message through libprotobuf-c; see ``WireMessage``.
  @inlinable
  public init(
    decoding bytes: UnsafeRawBufferPointer, limits: DecodingLimits
  ) throws(WireError) {
    let arena = WireArena(forDecoding: bytes.count, limit: limits.maximumMemory)
    let message = try arena.unpack(bytes, as: Self.layout, limits: limits)
    self.init()
    try merge(unpacked: message)
  }

  /// Writes the message behind the bytes of `buffer`; see ``WireMessage``.
  @inlinable
  public func encode(into buffer: inout WireBuffer) throws(WireError) {
    let arena = WireArena()
    let message = arena.allocate(byteCount: Self.layout.size)
    try fill(message, in: arena)
    let size = try arena.packedSize(of: message)
    buffer.append(count: size) { memory in WireArena.pack(message, into: memory) }
  }

  /// Writes the message in front of the bytes of `buffer`; see ``WireMessage``.
  @inlinable
  public func encode(before buffer: inout WireBuffer) throws(WireError) {
    let arena = WireArena()
    let message = arena.allocate(byteCount: Self.layout.size)
    try fill(message, in: arena)
    let size = try arena.packedSize(of: message)
    buffer.prepend(count: size) { memory in WireArena.pack(message, into: memory) }
  }

  // Not CustomStringConvertible: a message may have a field that is called `description`, which
  // Swift would print in place of the message. TextOutputStreamable comes first where both would
  // do.

  /// Writes the fields that are not at their default; a sensitive one reads `<sensitive>`.
  public func write(to target: inout some TextOutputStream) {
    target.write(debugDescription)
  }

  /// The fields that are not at their default; a sensitive one reads `<sensitive>`.
  public var debugDescription: String {
    var text = MessageDescription(Self.fullName)
    describe(into: &text)
    return text.finished
  }

  /// A mirror that shows the description and no field, so that `dump` prints nothing sensitive
  /// either.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: CollectionOfOne(debugDescription))
  }
}

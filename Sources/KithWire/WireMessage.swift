/// A protobuf message as a plain Swift value.
///
/// Messages are generated from `proto/`; nothing else conforms.
public protocol WireMessage: Sendable, Equatable {
  /// The full name of the message: `kith.risk.v1.AnalyzeRequest`.
  static var fullName: String { get }

  /// A message with every field at its default.
  init()

  /// Reads a message.
  ///
  /// - Parameters:
  ///   - bytes: The encoded message. Not kept: what is needed of it is copied.
  ///   - limits: What is taken at most.
  /// - Throws: ``WireError`` when the bytes are no such message or exceed the limits.
  init(decoding bytes: UnsafeRawBufferPointer, limits: DecodingLimits) throws(WireError)

  /// Writes the message behind the bytes of `buffer`.
  ///
  /// - Throws: ``WireError`` when the message is nested deeper than 100 or encodes to 2 GiB or
  ///   more; `buffer` is as it was then.
  func encode(into buffer: inout WireBuffer) throws(WireError)

  /// Writes the message in front of the bytes of `buffer`, into its head room where that is enough.
  ///
  /// - Throws: As ``encode(into:)``.
  func encode(before buffer: inout WireBuffer) throws(WireError)

  /// The fields of the encoded message that this version of the contract does not know. They are
  /// written again behind the known ones.
  var unknownFields: UnknownFields { get set }
}

extension WireMessage {
  /// Reads a message from an array of bytes.
  @inlinable
  public init(
    decoding bytes: [UInt8], limits: DecodingLimits = .standard
  ) throws(WireError) {
    self = try bytes.withUnsafeBufferPointer { bytes throws(WireError) in
      try Self(decoding: UnsafeRawBufferPointer(bytes), limits: limits)
    }
  }

  /// Reads a message within the standard limits.
  @inlinable
  public init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
    try self.init(decoding: bytes, limits: .standard)
  }

  /// The encoded message.
  @inlinable
  public func encoded() throws(WireError) -> [UInt8] {
    var buffer = WireBuffer()
    try encode(into: &buffer)
    return buffer.bytes
  }
}

import KithWire

/// Bytes that go out in one write: small frames gathered in one buffer, or one large frame as it is.
///
/// A class because the transport's C side keeps the address while the write is under way.
public final class OutgoingBatch: Sendable {
  private let buffer: WireBuffer

  init(_ buffer: consuming WireBuffer) { self.buffer = buffer }

  /// How many bytes there are.
  public var count: Int { buffer.count }

  /// Lends the bytes. Their address stays the same for the batch's whole life.
  public func withUnsafeBytes<Value, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try buffer.withUnsafeBytes(body)
  }
}

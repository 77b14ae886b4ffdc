import KithWire

/// A message, encoded, with room in front for the rest of its frame.
///
/// A class, so that a buffer, which has one owner, can be handed through closures and tasks.
final class EncodedMessage: Sendable {
  let buffer: WireBuffer

  init(_ message: some WireMessage, headRoom: Int) throws {
    var buffer = WireBuffer(headRoom: headRoom)
    try message.encode(into: &buffer)
    self.buffer = buffer
  }

  init(bytes: [UInt8], headRoom: Int) {
    var buffer = WireBuffer(headRoom: headRoom, capacity: bytes.count)
    buffer.append(contentsOf: bytes)
    self.buffer = buffer
  }
}

extension WireMessage {
  static func decodingRequest(_ bytes: ArraySlice<UInt8>) throws(RPCError) -> Self {
    Self()
  }
}

import KithWire

/// A frame that waits to be written: whole, or a large message that is cut into parts when its turn
/// comes, so that it never holds up the frames of other calls for longer than one part takes.
struct OutgoingFrame {
  /// The most bytes of a message in one part.
  static let partSize = 64 << 10

  private enum Content {
    /// Header, id and frame.
    case sealed(WireBuffer)
    /// A message of which `offset` bytes are written. `head` are the other fields of its first
    /// part, `tail` those of its last.
    case parts(message: WireBuffer, offset: Int, head: [UInt8], tail: [UInt8])
  }

  /// The call that it belongs to.
  let id: UInt32
  private var content: Content

  /// A frame that has been sealed.
  init(id: UInt32, sealed: WireBuffer) {
    self.id = id
    self.content = .sealed(sealed)
  }

  /// A message that is cut into parts.
  init(id: UInt32, message: WireBuffer, head: [UInt8] = [], tail: [UInt8] = []) {
    self.id = id
    self.content = .parts(message: message, offset: 0, head: head, tail: tail)
  }

  /// How many bytes it takes of the queue, now; the headers of parts are not counted.
  var count: Int {
    switch content {
    case .sealed(let buffer): buffer.count
    case .parts(let message, let offset, let head, let tail):
      message.count - offset + (offset == 0 ? head.count : 0) + tail.count
    }
  }

  /// The bytes, when it is whole.
  var sealed: WireBuffer? {
    if case .sealed(let buffer) = content { return buffer }
    return nil
  }

  /// Appends its next part, or all of it, to `buffer`; answers whether that was the last.
  mutating func cut(into buffer: inout WireBuffer, framing: MessageFraming) -> Bool {
    switch content {
    case .sealed(let whole):
      whole.withUnsafeBytes { buffer.append($0) }
      return true
    case .parts(let message, let offset, let head, let tail):
      let size = min(Self.partSize, message.count - offset)
      let isLast = offset + size == message.count
      var envelope = WireBuffer(headroom: 64 + head.count + tail.count)
      envelope.prependMessageTag(count: size)
      if isLast {
        envelope.prepend(tail)
      } else {
        envelope.prepend(field: MessageHeader.moreField, number: 1)
      }
      if offset == 0 { envelope.prepend(head) }
      framing.seal(&envelope, id: id, followedBy: size)
      envelope.withUnsafeBytes { buffer.append($0) }
      message.withUnsafeBytes {
        buffer.append(UnsafeRawBufferPointer(rebasing: $0[offset..<offset + size]))
      }
      content = .parts(message: message, offset: offset + size, head: head, tail: tail)
      return isLast
    }
  }
}

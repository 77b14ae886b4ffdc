import KithWire

/// `kith.rpc.v1.ConnectionNotice`: what one end tells the other about the connection itself.
struct ConnectionNotice: Equatable {
  var takesParts = false
  var ping: UInt64?
  var pong: UInt64?
  var isLeaving = false

  init(
    takesParts: Bool = false, ping: UInt64? = nil, pong: UInt64? = nil, isLeaving: Bool = false
  ) {
    self.takesParts = takesParts
    self.ping = ping
    self.pong = pong
    self.isLeaving = isLeaving
  }

  /// Takes over the fields in `bytes`, as protobuf merges.
  mutating func merge(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
    var reader = WireReader(bytes)
    while !reader.isAtEnd {
      let tag = try reader.tag()
      switch (tag.field, tag.type) {
      case (1, .varint): takesParts = try reader.varint() != 0
      case (2, .varint): ping = try reader.varint()
      case (3, .varint): pong = try reader.varint()
      case (4, .varint): isLeaving = try reader.varint() != 0
      default: try reader.skip(tag)
      }
    }
  }

  /// The frame that carries it, sealed; `field` is that of `connection` in the sender's frames.
  func sealed(field: Int, framing: MessageFraming) -> OutgoingFrame {
    var buffer = WireBuffer(headroom: 64)
    if isLeaving { buffer.prepend(field: 4, number: 1) }
    if let pong { buffer.prepend(field: 3, number: pong) }
    if let ping { buffer.prepend(field: 2, number: ping) }
    if takesParts { buffer.prepend(field: 1, number: 1) }
    buffer.prepend(field: field, lengthBefore: 0)
    framing.seal(&buffer, id: MessageHeader.connectionID)
    return OutgoingFrame(id: MessageHeader.connectionID, sealed: buffer)
  }
}

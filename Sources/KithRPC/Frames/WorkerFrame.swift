import KithWire

/// `kith.rpc.v1.WorkerFrame`, read and written around its message; see ``CallerFrame``.
struct WorkerFrame: Equatable {
  /// How the call ended; nil when it goes on.
  var status: CallStatus?
  var metadata = Metadata()
  var message: ArraySlice<UInt8>?

  init(status: CallStatus? = nil, metadata: Metadata = [:], message: ArraySlice<UInt8>? = nil) {
    self.status = status
    self.metadata = metadata
    self.message = message
  }

  /// Reads a frame; its message shares the memory of `bytes`.
  init(decoding bytes: ArraySlice<UInt8>) throws(WireError) {
    self.init()
    try bytes.readFields { (reader, tag) throws(WireError) in
      switch (tag.field, tag.type) {
      case (1, .lengthDelimited):
        var status = self.status ?? CallStatus()
        try status.merge(try reader.bytes())
        self.status = status
      case (2, .lengthDelimited):
        metadata.entries.append(try .init(decoding: try reader.bytes()))
      case (15, .lengthDelimited):
        message = bytes.slice(try reader.bytes(), readBy: reader)
      default: try reader.skip(tag)
      }
    }
  }

  /// Makes the message in `buffer` the one frame of an answer that is OK.
  static func answer(_ buffer: inout WireBuffer, metadata: Metadata, trailers: Metadata) {
    buffer.prependMessageTag()
    end(&buffer, CallStatus(trailers: trailers), metadata: metadata)
  }

  /// The frame that ends a call with an error.
  static func failure(_ status: CallStatus, metadata: Metadata = [:]) -> WireBuffer {
    var buffer = WireBuffer(headroom: 64 + status.estimatedSize + metadata.size)
    end(&buffer, status, metadata: metadata)
    return buffer
  }

  private static func end(_ buffer: inout WireBuffer, _ status: CallStatus, metadata: Metadata) {
    for entry in metadata.entries.reversed() { buffer.prepend(field: 2, entry) }
    let end = buffer.count
    status.prepend(to: &buffer)
    buffer.prepend(field: 1, lengthBefore: end)
  }
}

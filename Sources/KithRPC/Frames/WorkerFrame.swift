import KithWire

/// `kith.rpc.v1.WorkerFrame`, read and written around its message; see ``CallerFrame``.
struct WorkerFrame: Equatable {
  /// The numbers of the fields that are written elsewhere.
  static let creditField = 3
  static let connectionField = 4

  /// How the call ended; nil when it goes on.
  var status: CallStatus?
  var metadata = Metadata()
  var credit: Credit?
  var connection: ConnectionNotice?
  /// Whether the message is a part, and not the last.
  var isPart = false
  var message: ArraySlice<UInt8>?

  init(
    status: CallStatus? = nil, metadata: Metadata = [:], credit: Credit? = nil,
    isPart: Bool = false, message: ArraySlice<UInt8>? = nil
  ) {
    self.status = status
    self.metadata = metadata
    self.credit = credit
    self.isPart = isPart
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
      case (3, .lengthDelimited):
        var credit = self.credit ?? Credit(messages: 0, bytes: 0)
        try credit.merge(try reader.bytes())
        self.credit = credit
      case (4, .lengthDelimited):
        var connection = self.connection ?? ConnectionNotice()
        try connection.merge(try reader.bytes())
        self.connection = connection
      case (5, .varint): isPart = try reader.varint() != 0
      case (15, .lengthDelimited):
        message = bytes.slice(try reader.bytes(), readBy: reader)
      default: try reader.skip(tag)
      }
    }
  }

  /// Puts how a call ended in front of `buffer`: of its last message, or of nothing.
  static func prependEnd(to buffer: inout WireBuffer, _ status: CallStatus, metadata: Metadata) {
    prependMetadata(to: &buffer, metadata)
    let end = buffer.count
    status.prepend(to: &buffer)
    buffer.prepend(field: 1, lengthBefore: end)
  }

  /// Puts what is told before the answer in front of `buffer`.
  static func prependMetadata(to buffer: inout WireBuffer, _ metadata: Metadata) {
    for entry in metadata.entries.reversed() { buffer.prepend(field: 2, entry) }
  }

  /// The frame that ends a call without a message.
  static func end(_ status: CallStatus, metadata: Metadata = [:]) -> WireBuffer {
    var buffer = WireBuffer(headroom: 64 + status.estimatedSize + metadata.size)
    prependEnd(to: &buffer, status, metadata: metadata)
    return buffer
  }
}

import KithWire

/// `kith.rpc.v1.CallerFrame`, read and written around its message.
///
/// The envelope is read and written by hand rather than through a generated type, because the
/// message stands in the buffer already: the envelope is put in front of it and the message is
/// never copied. The tests hold both against the generated code.
struct CallerFrame: Equatable {
  /// The numbers of the fields that are written elsewhere.
  static let creditField = 4
  static let connectionField = 6

  /// `kith.rpc.v1.CallStart`.
  struct Start: Equatable {
    /// In UTF-8, as it came: it is looked up, and is text only for one who reads an error.
    var method: ArraySlice<UInt8> = []
    var timeoutMicroseconds: Int64?
    var metadata = Metadata()
    var traceparent = ""
    /// As it came; nil when there is none.
    var idempotencyKey: String?
  }

  var start: Start?
  /// The reason of a cancellation; nil when the frame is none.
  var cancel: String?
  var isHalfClose = false
  var credit: Credit?
  /// Whether the message is a part, and not the last.
  var isPart = false
  var connection: ConnectionNotice?
  var message: ArraySlice<UInt8>?

  /// About how many bytes of memory it takes.
  var bytesHeld: Int { (start?.bytesHeld ?? 0) + (message?.count ?? 0) }

  init(
    start: Start? = nil, cancel: String? = nil, isHalfClose: Bool = false, credit: Credit? = nil,
    isPart: Bool = false, message: ArraySlice<UInt8>? = nil
  ) {
    self.start = start
    self.cancel = cancel
    self.isHalfClose = isHalfClose
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
        let field = bytes.slice(try reader.bytes(), readBy: reader)
        var start = self.start.take() ?? Start()
        try start.merge(field)
        self.start = start
      case (2, .lengthDelimited):
        var cancelReader = WireReader(try reader.bytes())
        var reason = cancel ?? ""
        while !cancelReader.isAtEnd {
          let tag = try cancelReader.tag()
          switch (tag.field, tag.type) {
          case (1, .lengthDelimited): reason = try cancelReader.text()
          default: try cancelReader.skip(tag)
          }
        }
        cancel = reason
      case (3, .varint): isHalfClose = try reader.varint() != 0
      case (4, .lengthDelimited):
        var credit = self.credit ?? Credit(messages: 0, bytes: 0)
        try credit.merge(try reader.bytes())
        self.credit = credit
      case (5, .varint): isPart = try reader.varint() != 0
      case (6, .lengthDelimited):
        var connection = self.connection ?? ConnectionNotice()
        try connection.merge(try reader.bytes())
        self.connection = connection
      case (15, .lengthDelimited):
        message = bytes.slice(try reader.bytes(), readBy: reader)
      default: try reader.skip(tag)
      }
    }
  }

  /// Puts what starts a call in front of `buffer`: of the message of its first frame, or of
  /// nothing.
  static func prependStart(
    to buffer: inout WireBuffer, method: MethodDescriptor, timeoutMicroseconds: Int64?,
    metadata: Metadata, traceparent: String, idempotencyKey: IdempotencyKey?
  ) {
    let end = buffer.count
    if let idempotencyKey { buffer.prepend(field: 5, text: idempotencyKey.text) }
    if !traceparent.isEmpty { buffer.prepend(field: 4, text: traceparent) }
    for entry in metadata.entries.reversed() { buffer.prepend(field: 3, entry) }
    if let timeoutMicroseconds {
      buffer.prepend(field: 2, number: UInt64(bitPattern: timeoutMicroseconds))
    }
    buffer.prepend(method.encodedName)
    buffer.prepend(field: 1, lengthBefore: end)
  }

  /// A frame that says that no message follows.
  static var halfClose: WireBuffer {
    var buffer = WireBuffer(headroom: 24)
    buffer.prepend(field: 3, number: 1)
    return buffer
  }

  /// A frame that cancels a call.
  static func cancellation(reason: String) -> WireBuffer {
    var buffer = WireBuffer(headroom: 64 + reason.utf8.count)
    if !reason.isEmpty { buffer.prepend(field: 1, text: reason) }
    buffer.prepend(field: 2, lengthBefore: 0)
    return buffer
  }
}

extension CallerFrame.Start {
  /// About how many bytes of memory it takes.
  var bytesHeld: Int {
    metadata.size + traceparent.utf8.count + 64 * metadata.entries.count + 256
  }

  /// Takes over the fields in `bytes`, as protobuf merges.
  fileprivate mutating func merge(_ bytes: ArraySlice<UInt8>) throws(WireError) {
    try bytes.readFields { (reader, tag) throws(WireError) in
      switch (tag.field, tag.type) {
      case (1, .lengthDelimited): method = bytes.slice(try reader.bytes(), readBy: reader)
      case (2, .varint): timeoutMicroseconds = Int64(bitPattern: try reader.varint())
      case (3, .lengthDelimited): metadata.entries.append(try .init(decoding: try reader.bytes()))
      case (4, .lengthDelimited): traceparent = try reader.text()
      case (5, .lengthDelimited):
        let key = try reader.text()
        idempotencyKey = key.isEmpty ? nil : key
      default: try reader.skip(tag)
      }
    }
  }
}

import KithWire

/// `kith.rpc.v1.CallStatus`: how a call ended.
struct CallStatus: Equatable {
  var code = StatusCode.ok
  var message = ""
  var details: [StatusDetail] = []
  var trailers = Metadata()

  init(
    _ code: StatusCode = .ok, _ message: String = "", details: [StatusDetail] = [],
    trailers: Metadata = [:]
  ) {
    self.code = code
    self.message = message
    self.details = details
    self.trailers = trailers
  }

  /// What of an error may leave the process: everything but its cause.
  init(_ error: RPCError) {
    self.init(error.code, error.message, details: error.details, trailers: error.trailers)
  }

  /// The error that the caller sees; nil when the call ended OK.
  var error: RPCError? {
    guard code != .ok else { return nil }
    return RPCError(code, message, details: details, trailers: trailers)
  }

  /// About how many bytes it takes, for head room.
  var estimatedSize: Int {
    message.utf8.count + trailers.size
      + details.reduce(0) { $0 + $1.type.utf8.count + $1.value.count + 24 }
  }

  func prepend(to buffer: inout WireBuffer) {
    for entry in trailers.entries.reversed() { buffer.prepend(field: 4, entry) }
    for detail in details.reversed() {
      let end = buffer.count
      if !detail.value.isEmpty { buffer.prepend(field: 2, bytes: detail.value) }
      if !detail.type.isEmpty { buffer.prepend(field: 1, text: detail.type) }
      buffer.prepend(field: 3, lengthBefore: end)
    }
    if !message.isEmpty { buffer.prepend(field: 2, text: message) }
    if code != .ok {
      // An enumeration is an int32, and a negative one is widened to 64 bits on the wire.
      buffer.prepend(field: 1, number: UInt64(bitPattern: Int64(code.rawValue)))
    }
  }

  /// Takes over the fields in `bytes`, as protobuf merges.
  mutating func merge(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
    var reader = WireReader(bytes)
    while !reader.isAtEnd {
      let tag = try reader.tag()
      switch (tag.field, tag.type) {
      case (1, .varint):
        code = StatusCode(rawValue: Int32(truncatingIfNeeded: try reader.varint()))
      case (2, .lengthDelimited): message = try reader.text()
      case (3, .lengthDelimited): details.append(try StatusDetail(decoding: try reader.bytes()))
      case (4, .lengthDelimited):
        trailers.entries.append(try .init(decoding: try reader.bytes()))
      default: try reader.skip(tag)
      }
    }
  }
}

extension StatusDetail {
  fileprivate init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
    self.init(type: "", value: [])
    var reader = WireReader(bytes)
    while !reader.isAtEnd {
      let tag = try reader.tag()
      switch (tag.field, tag.type) {
      case (1, .lengthDelimited): type = try reader.text()
      case (2, .lengthDelimited): value = [UInt8](try reader.bytes())
      default: try reader.skip(tag)
      }
    }
  }
}

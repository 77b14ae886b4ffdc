import KithWire

/// The bytes that nng puts around a message on a stream.
enum MessageHeader {
  /// The hello of a caller: SP's REQ protocol.
  static let callerHello: [UInt8] = [0x00, 0x53, 0x50, 0x00, 0x00, 0x30, 0x00, 0x00]
  /// The hello of a worker: SP's REP protocol.
  static let workerHello: [UInt8] = [0x00, 0x53, 0x50, 0x00, 0x00, 0x31, 0x00, 0x00]
  /// How many bytes a hello has.
  static let helloSize = 8
  /// The call id in front of each frame.
  static let idSize = 4
  /// Set in every id: SP marks the last hop of a request with it.
  static let idMark: UInt32 = 0x8000_0000
  /// The id of the connection itself, which no call has.
  static let connectionID = idMark
  /// The field `more` of a frame, the same in both directions.
  static let moreField = 5
}

extension MessageFraming {
  /// How many bytes stand in front of a message.
  var headerSize: Int {
    switch self {
    case .ipc: 9
    case .tcp: 8
    }
  }

  /// The length that the header at the start of `bytes` tells; nil when it is no header.
  func length(in bytes: UnsafeRawBufferPointer) -> UInt64? {
    switch self {
    case .ipc:
      guard bytes[0] == 1 else { return nil }
      return UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
    case .tcp:
      return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    }
  }

  /// Puts id and header in front of the frame in `buffer`, of which so many more bytes are written
  /// behind it.
  func seal(_ buffer: inout WireBuffer, id: UInt32, followedBy rest: Int = 0) {
    buffer.prepend(bigEndian: id)
    let length = UInt64(buffer.count + rest)
    buffer.prepend(bigEndian: length)
    if self == .ipc { buffer.prepend(1) }
  }
}

import KithWire

/// How a call ended, as a record of answers keeps it: the `kith.rpc.v1.WorkerFrame` that ended it.
struct RecordedAnswer {
  private let frame: WorkerFrame

  /// Reads what ``encoded(_:_:)`` wrote.
  init(decoding bytes: [UInt8]) throws(WireError) {
    frame = try WorkerFrame(decoding: bytes[...])
  }

  /// A handler's answer with what it told beside it.
  static func encoded(_ message: borrowing WireBuffer, _ context: CallContext) -> [UInt8] {
    let metadata = context.responseMetadata
    let status = CallStatus(trailers: context.responseTrailers)
    var buffer = WireBuffer(headroom: 64 + metadata.size + status.estimatedSize)
    message.withUnsafeBytes { buffer.append($0) }
    buffer.prependMessageTag()
    WorkerFrame.prependEnd(to: &buffer, status, metadata: metadata)
    return buffer.bytes
  }

  /// A handler's error with what it told beside it.
  static func encoded(_ error: RPCError, _ context: CallContext) -> [UInt8] {
    var status = CallStatus(error)
    status.details.removeAll { $0.type == CallExecution.typeName }
    status.trailers.entries += context.responseTrailers.entries
    return WorkerFrame.end(status, metadata: context.responseMetadata).bytes
  }

  /// Answers the call with it.
  func replay(_ context: CallContext, headroom: Int) throws(RPCError) -> WireBuffer {
    context.responseMetadata = frame.metadata
    if let error = frame.status?.error { throw error }
    context.responseTrailers = frame.status?.trailers ?? [:]
    let message = frame.message ?? []
    var buffer = WireBuffer(headroom: headroom, capacity: message.count)
    message.withUnsafeBytes { buffer.append($0) }
    return buffer
  }
}

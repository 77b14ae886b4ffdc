import KithWire

/// What starts a call: `kith.rpc.v1.CallStart`, on the caller's side.
struct CallStart {
  var method: MethodDescriptor
  var timeoutMicroseconds: Int64?
  var metadata: Metadata
  var traceparent: String
  var idempotencyKey: IdempotencyKey?

  /// The same call, with what it shows of its caller behind its own metadata.
  func showing(_ credentials: [Metadata.Entry]?) -> CallStart {
    guard let credentials, !credentials.isEmpty else { return self }
    var start = self
    start.metadata.entries += credentials
    return start
  }

  func prepend(to buffer: inout WireBuffer) {
    CallerFrame.prependStart(
      to: &buffer, method: method, timeoutMicroseconds: timeoutMicroseconds, metadata: metadata,
      traceparent: traceparent, idempotencyKey: idempotencyKey)
  }
}

extension OutgoingFrame {
  /// A frame of the caller under the given id, in parts if its message is large and the worker
  /// takes parts. `start` is there in the first frame of a call; only that can go without a
  /// message.
  static func caller(
    _ id: UInt32, start: CallStart? = nil, message: consuming WireBuffer?, framing: MessageFraming,
    inParts: Bool
  ) -> OutgoingFrame {
    guard var buffer = consume message else {
      var buffer = WireBuffer(headroom: 256)
      start?.prepend(to: &buffer)
      framing.seal(&buffer, id: id)
      return OutgoingFrame(id: id, sealed: buffer)
    }
    if inParts, buffer.count > partSize {
      var fields = WireBuffer(headroom: 256)
      start?.prepend(to: &fields)
      return OutgoingFrame(id: id, message: buffer, head: fields.bytes)
    }
    buffer.prependMessageTag()
    start?.prepend(to: &buffer)
    framing.seal(&buffer, id: id)
    return OutgoingFrame(id: id, sealed: buffer)
  }

  /// A frame of the worker: a message of a stream, or an answer with its end.
  static func worker(
    _ id: UInt32, message: consuming WireBuffer?, metadata: Metadata, end: CallStatus?,
    framing: MessageFraming, inParts: Bool
  ) -> OutgoingFrame {
    guard var buffer = consume message else {
      var buffer = WorkerFrame.end(end ?? CallStatus(), metadata: metadata)
      framing.seal(&buffer, id: id)
      return OutgoingFrame(id: id, sealed: buffer)
    }
    if inParts, buffer.count > partSize {
      var head = WireBuffer(headroom: metadata.size)
      WorkerFrame.prependMetadata(to: &head, metadata)
      var tail = WireBuffer(headroom: 64)
      if let end { WorkerFrame.prependEnd(to: &tail, end, metadata: [:]) }
      return OutgoingFrame(id: id, message: buffer, head: head.bytes, tail: tail.bytes)
    }
    buffer.prependMessageTag()
    if let end {
      WorkerFrame.prependEnd(to: &buffer, end, metadata: metadata)
    } else {
      WorkerFrame.prependMetadata(to: &buffer, metadata)
    }
    framing.seal(&buffer, id: id)
    return OutgoingFrame(id: id, sealed: buffer)
  }
}

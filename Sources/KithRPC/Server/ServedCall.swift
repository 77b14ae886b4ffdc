import Synchronization

/// One call that a server answers: all that its handler needs, in one object that is passed on.
final class ServedCall: Sendable {
  /// What a handler tells beside its answer.
  struct Outgoing {
    var metadata = Metadata()
    var trailers = Metadata()
    /// Whether the metadata has gone out, with the first message of a stream.
    var isMetadataSent = false
  }

  /// The caller's id of the call.
  let id: UInt32
  /// The server's own number of it, never used twice on a connection.
  let serial: UInt64
  let method: MethodDescriptor
  let metadata: Metadata
  let deadline: Moment?
  let peer: PeerIdentity
  let principal: Principal
  let traceparent: String
  let idempotencyKey: IdempotencyKey?
  /// The request, encoded.
  let message: ArraySlice<UInt8>
  let outgoing = Mutex(Outgoing())
  /// The call's number in logs; zero until it is asked for.
  private let logNumber = Atomic<UInt64>(0)
  private static let lastLogNumber = Atomic<UInt64>(0)

  init(
    id: UInt32 = 0, serial: UInt64 = 0, method: MethodDescriptor, metadata: Metadata = [:],
    deadline: Moment? = nil, peer: PeerIdentity = PeerIdentity(),
    principal: Principal = .stranger, traceparent: String = "",
    idempotencyKey: IdempotencyKey? = nil,
    message: ArraySlice<UInt8> = []
  ) {
    self.id = id
    self.serial = serial
    self.method = method
    self.metadata = metadata
    self.deadline = deadline
    self.peer = peer
    self.principal = principal
    self.traceparent = traceparent
    self.idempotencyKey = idempotencyKey
    self.message = message
  }

  /// A number that no other call of this process has. Drawn when it is first asked for: most calls
  /// log nothing.
  var numberInLogs: UInt64 {
    let known = logNumber.load(ordering: .relaxed)
    if known != 0 { return known }
    let fresh = Self.lastLogNumber.add(1, ordering: .relaxed).newValue
    let (isFirst, winner) = logNumber.compareExchange(
      expected: 0, desired: fresh, ordering: .relaxed)
    return isFirst ? fresh : winner
  }

  /// What the handler has set, checked; the metadata only once.
  ///
  /// - Throws: INTERNAL when the handler has set what may not be sent.
  func checkedOutgoing(limits: RPCLimits) throws(RPCError) -> Outgoing {
    let outgoing = outgoing.withLock { outgoing in
      defer { outgoing.isMetadataSent = true }
      var taken = outgoing
      if outgoing.isMetadataSent { taken.metadata = [:] }
      return taken
    }
    do throws(RPCError) {
      try outgoing.metadata.check(limit: limits.maximumMetadataBytes)
      try outgoing.trailers.check(limit: limits.maximumMetadataBytes)
    } catch {
      throw RPCError(.internal, "the handler's metadata cannot be sent: \(error.message)")
    }
    return outgoing
  }
}

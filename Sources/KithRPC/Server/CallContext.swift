import Synchronization

/// What a handler knows about the call that it answers, beside the request.
public struct CallContext: Sendable {
  /// The method that was called.
  public let method: MethodDescriptor
  /// What the caller told beside the request.
  public let metadata: Metadata
  /// When the caller stops waiting; nil when it waits for ever. The handler's task is cancelled at that moment.
  public let deadline: ContinuousClock.Instant?
  /// Who called.
  public let peer: PeerIdentity
  /// W3C Trace Context of the caller's span; empty when the call is not traced.
  public let traceparent: String
  private let outgoing = Outgoing()

  /// A context, for a handler that is called without a connection (a test).
  public init(
    method: MethodDescriptor, metadata: Metadata = [:], deadline: ContinuousClock.Instant? = nil,
    peer: PeerIdentity = PeerIdentity(), traceparent: String = ""
  ) {
    self.method = method
    self.metadata = metadata
    self.deadline = deadline
    self.peer = peer
    self.traceparent = traceparent
  }

  /// What is left until the deadline, never negative; nil when there is none. A handler that calls further passes it on
  /// as the timeout of that call, so that the budget shrinks on the way.
  public var remainingTime: Duration? {
    deadline.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
  }

  /// What is told to the caller before the answer. Set it before the handler returns.
  public var responseMetadata: Metadata {
    get { outgoing.values.withLock { $0.metadata } }
    nonmutating set { outgoing.values.withLock { $0.metadata = newValue } }
  }

  /// What is told to the caller after the answer, also when the handler throws.
  public var responseTrailers: Metadata {
    get { outgoing.values.withLock { $0.trailers } }
    nonmutating set { outgoing.values.withLock { $0.trailers = newValue } }
  }

  /// What the handler has set, checked.
  ///
  /// - Throws: INTERNAL when the handler has set what may not be sent.
  func outgoing(limits: RPCLimits) throws(RPCError) -> (metadata: Metadata, trailers: Metadata) {
    let values = outgoing.values.withLock { $0 }
    do throws(RPCError) {
      try values.metadata.check(limit: limits.maximumMetadataBytes)
      try values.trailers.check(limit: limits.maximumMetadataBytes)
    } catch {
      throw RPCError(.internal, "the handler's metadata cannot be sent: \(error.message)")
    }
    return values
  }

  /// Shared by the copies of one context, so that what a handler sets is what its server reads.
  private final class Outgoing: Sendable {
    let values = Mutex((metadata: Metadata(), trailers: Metadata()))
  }
}

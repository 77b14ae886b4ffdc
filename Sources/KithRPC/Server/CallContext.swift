import Synchronization

/// What a handler knows about the call that it answers, beside the request.
public struct CallContext: Sendable {
  /// The call that this task, or the task that it is a child of, answers; nil outside of handlers.
  ///
  /// A call that is made while it is set has no more time than is left of this one, and carries its
  /// trace on: see ``CallOptions/inheritsContext``.
  @TaskLocal public static var current: CallContext?

  /// The key of the metadata in which a caller of this product names the person for whom it calls.
  public static let userKey = "kith-user"

  private let call: ServedCall

  /// A context, for a handler that is called without a connection (a test).
  public init(
    method: MethodDescriptor, metadata: Metadata = [:], deadline: ContinuousClock.Instant? = nil,
    peer: PeerIdentity = PeerIdentity(), principal: Principal = .stranger,
    traceparent: String = "", idempotencyKey: IdempotencyKey? = nil
  ) {
    call = ServedCall(
      method: method, metadata: metadata,
      deadline: deadline.map { Moment.now.advanced(by: ContinuousClock.now.duration(to: $0)) },
      peer: peer, principal: principal, traceparent: traceparent, idempotencyKey: idempotencyKey)
  }

  init(_ call: ServedCall) { self.call = call }

  /// The method that was called.
  public var method: MethodDescriptor { call.method }

  /// What the caller told beside the request.
  public var metadata: Metadata { call.metadata }

  /// The process at the other end of the connection, as the kernel tells it. It proves nothing: see
  /// ``principal``.
  public var peer: PeerIdentity { call.peer }

  /// Who called, as far as that is verified: the name of a worker, an operator, a stranger.
  public var principal: Principal { call.principal }

  /// W3C Trace Context of the caller's span; empty when the call is not traced.
  public var traceparent: String { call.traceparent }

  /// Names the call in logs: the id of its trace when it is traced, which is the same wherever the
  /// call leads to; else a number that counts within this process.
  public var logID: String {
    // version "-" trace id "-" span id "-" flags
    let parts = call.traceparent.split(separator: "-")
    return parts.count >= 4 && parts[1].utf8.count == 32
      ? String(parts[1]) : String(call.numberInLogs)
  }

  /// What names the caller's intent over all its attempts; nil when it gave no key.
  public var idempotencyKey: IdempotencyKey? { call.idempotencyKey }

  /// When the caller stops waiting; nil when it waits for ever. The handler's task is cancelled at
  /// that moment.
  public var deadline: ContinuousClock.Instant? { remainingTime.map { ContinuousClock.now + $0 } }

  /// What is left until the deadline, never negative; nil when there is none. A handler that calls
  /// further passes it on as the timeout of that call, so that the budget shrinks on the way.
  public var remainingTime: Duration? { call.deadline.map { Moment.now.duration(until: $0) } }

  /// The deadline as it is kept.
  var moment: Moment? { call.deadline }

  /// What is told to the caller before the answer. Set it before the handler returns.
  public var responseMetadata: Metadata {
    get { call.outgoing.withLock { $0.metadata } }
    nonmutating set { call.outgoing.withLock { $0.metadata = newValue } }
  }

  /// What is told to the caller after the answer, also when the handler throws.
  public var responseTrailers: Metadata {
    get { call.outgoing.withLock { $0.trailers } }
    nonmutating set { call.outgoing.withLock { $0.trailers = newValue } }
  }
}

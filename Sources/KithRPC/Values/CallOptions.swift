/// How one call is made.
public struct CallOptions: Sendable {
  /// How long the call may take in all, connecting and retries included. What is left of it travels
  /// with the call. Nil means no deadline of its own.
  public var timeout: Duration?
  /// What is told beside the request.
  public var metadata: Metadata
  /// Whether the call is held until there is a connection, rather than failed with UNAVAILABLE.
  public var waitForReady: Bool
  /// How long a call that waits for readiness is held; past it UNAVAILABLE. Nil means as long as
  /// ``timeout`` allows.
  public var readyTimeout: Duration?
  /// W3C Trace Context of the caller's span; empty when the call is not traced.
  public var traceparent: String
  /// Names what the caller wants done, so that the worker carries it out once however often the
  /// call is made; nil for a call that is made once or does no harm twice. With a key a lost call
  /// is repeated as ``retry`` says, whatever its contract says of it. For unary methods only; a
  /// worker that keeps no record of answers refuses it.
  public var idempotencyKey: IdempotencyKey?
  /// What is done when a call was lost that may be repeated; see ``RetryPolicy``.
  public var retry: RetryPolicy
  /// Whether a call that is made within a handler has no more time than is left of the call that
  /// the handler answers, and carries on its trace where ``traceparent`` is empty. Cancellation
  /// reaches it either way, as it does all that a task waits for. False is for work that must
  /// outlive its cause.
  public var inheritsContext: Bool

  /// No timeout, no metadata, no waiting; the standard retries.
  public static let defaults = CallOptions()

  /// Options of the caller's choice.
  public init(
    timeout: Duration? = nil, metadata: Metadata = [:], waitForReady: Bool = false,
    readyTimeout: Duration? = nil, traceparent: String = "", idempotencyKey: IdempotencyKey? = nil,
    retry: RetryPolicy = .standard, inheritsContext: Bool = true
  ) {
    self.timeout = timeout
    self.metadata = metadata
    self.waitForReady = waitForReady
    self.readyTimeout = readyTimeout
    self.traceparent = traceparent
    self.idempotencyKey = idempotencyKey
    self.retry = retry
    self.inheritsContext = inheritsContext
  }

  /// These, within the call that is being answered: the moment at which the time is over, and the
  /// trace.
  func within(_ context: CallContext?, now: Moment) -> (options: CallOptions, deadline: Moment?) {
    var options = self
    var deadline = timeout.map { now.advanced(by: $0) }
    guard inheritsContext, let context else { return (options, deadline) }
    if let outer = context.moment { deadline = min(deadline ?? outer, outer) }
    if options.traceparent.isEmpty { options.traceparent = context.traceparent }
    return (options, deadline)
  }
}

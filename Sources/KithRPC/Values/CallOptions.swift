/// How one call is made.
public struct CallOptions: Sendable {
  /// How long the call may take in all, connecting included. What is left of it travels with the call. Nil means no
  /// deadline.
  public var timeout: Duration?
  /// What is told beside the request.
  public var metadata: Metadata
  /// Whether the call is held until there is a connection, within its timeout, rather than failed with UNAVAILABLE.
  public var waitForReady: Bool
  /// W3C Trace Context of the caller's span; empty when the call is not traced.
  public var traceparent: String

  /// No timeout, no metadata, no waiting.
  public static let defaults = CallOptions()

  /// Options of the caller's choice.
  public init(
    timeout: Duration? = nil, metadata: Metadata = [:], waitForReady: Bool = false,
    traceparent: String = ""
  ) {
    self.timeout = timeout
    self.metadata = metadata
    self.waitForReady = waitForReady
    self.traceparent = traceparent
  }
}

/// What a client wants of its connector.
public struct ConnectRequest: Sendable {
  /// The connection that the client had last; nil at first.
  public struct Predecessor: Sendable, Hashable {
    /// The generation that its ``EstablishedConnection`` named.
    public var generation: UInt64
    /// Whether the worker said itself that it takes no new calls: then only a newer generation is
    /// of any use. Otherwise the pipe just ended, and the same worker may still be there.
    public var isLeaving: Bool
  }

  /// The connection that the client had last; nil at first.
  public var predecessor: Predecessor?
  /// Whether to wait for a worker that is not there yet rather than to fail at once.
  public var waitForReady: Bool
  /// How long the callers wait at most; nil for ever.
  public var timeout: Duration?

  /// A request.
  public init(
    predecessor: Predecessor? = nil, waitForReady: Bool = false, timeout: Duration? = nil
  ) {
    self.predecessor = predecessor
    self.waitForReady = waitForReady
    self.timeout = timeout
  }
}

/// A connected stream and the incarnation of the worker at its other end.
public struct EstablishedConnection: Sendable {
  /// The stream, not yet started.
  public var stream: any ByteStream
  /// The incarnation; 0 where the address is fixed.
  public var generation: UInt64
  /// What each call on this connection shows of its caller, in addition to its own metadata; nil
  /// for nothing. Asked for each call, on the caller's task, so it must be quick.
  public var credentials: (@Sendable () -> [Metadata.Entry])?

  /// A connection.
  public init(
    stream: any ByteStream, generation: UInt64 = 0,
    credentials: (@Sendable () -> [Metadata.Entry])? = nil
  ) {
    self.stream = stream
    self.generation = generation
    self.credentials = credentials
  }
}

/// Where a client gets its connection from: a fixed address, or one that is resolved anew after a
/// death.
public protocol Connector: Sendable {
  /// Opens a stream to the worker, once. The client calls it from one task at a time, cancels that
  /// task when nobody wants the connection any more, and calls it again, later each time, while
  /// somebody waits; a connector therefore need not repeat anything itself.
  ///
  /// - Throws: UNAVAILABLE when the worker is not there (the client then tries again for the calls
  ///   that wait), any other code when trying again is no use.
  func connect(_ request: ConnectRequest) async throws(RPCError) -> EstablishedConnection
}

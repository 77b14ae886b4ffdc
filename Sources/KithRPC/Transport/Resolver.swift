/// Where a worker is now.
public struct ResolvedTarget: Sendable, Equatable {
  /// An address that the transport understands:
  /// `ipc:///run/user/1000/kith/milo/risk-engine.3.sock`.
  public var address: String
  /// Which incarnation of the worker listens there. Grows with every restart.
  public var generation: UInt64
  /// How what is said there is protected; nil for an address on this machine.
  public var security: NetworkSecurity?
  /// The process that listens there; nil where that is not known. Another one at the other end is
  /// an impostor.
  public var pid: Int32?
  /// What each call shows of its caller there.
  public var credentials: [Metadata.Entry]
  /// When other credentials should be asked for; nil for never.
  public var renewal: ContinuousClock.Instant?

  /// A target.
  public init(
    address: String, generation: UInt64, security: NetworkSecurity? = nil, pid: Int32? = nil,
    credentials: [Metadata.Entry] = [], renewal: ContinuousClock.Instant? = nil
  ) {
    self.security = security
    self.address = address
    self.generation = generation
    self.pid = pid
    self.credentials = credentials
    self.renewal = renewal
  }
}

/// Finds the address of a worker whose address changes with every incarnation.
public protocol Resolver: Sendable {
  /// Answers the target of the incarnation to call now.
  ///
  /// `generation` is the newest incarnation that the caller has found dead or leaving: only a newer
  /// one is any use to it. With `options.waitForReady` the answer is held until there is one,
  /// within `options.timeout`; otherwise UNAVAILABLE at once. Called from one task at a time for
  /// one client.
  func resolve(newerThan generation: UInt64?, options: CallOptions) async throws(RPCError)
    -> ResolvedTarget
}

/// Where a worker is now.
public struct ResolvedTarget: Sendable, Hashable {
  /// An address that the transport understands: `ipc:///run/user/1000/kith/milo/risk-engine.3.sock`.
  public var address: String
  /// Which incarnation of the worker listens there. Grows with every restart.
  public var generation: UInt64
  /// How what is said there is protected; nil for an address on this machine.
  public var security: NetworkSecurity?

  /// A target.
  public init(address: String, generation: UInt64, security: NetworkSecurity? = nil) {
    self.security = security
    self.address = address
    self.generation = generation
  }
}

/// Finds the address of a worker whose address changes with every incarnation.
public protocol Resolver: Sendable {
  /// Answers the target of the incarnation to call now.
  ///
  /// `generation` is the newest incarnation that the caller has found dead or leaving: only a newer one is any use to it. With
  /// `options.waitForReady` the answer is held until there is one, within `options.timeout`; otherwise UNAVAILABLE at
  /// once. Called from one task at a time for one client.
  func resolve(newerThan generation: UInt64?, options: CallOptions) async throws(RPCError)
    -> ResolvedTarget
}

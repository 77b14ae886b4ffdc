public import KithRPC
import Synchronization

/// Connects to a worker whose address a resolver knows: after a death it asks for a newer
/// incarnation than the dead one.
public final class NngResolvingConnector: Connector {
  private let resolver: any Resolver
  private let authorize: @Sendable (PeerIdentity) -> Bool
  /// Where the last connection led.
  private let target = Mutex<ResolvedTarget?>(nil)
  /// The newest incarnation at whose address nobody listens.
  private let dead = Mutex<UInt64?>(nil)

  /// A connector that asks `resolver`, and talks to whom `authorize` allows: by default only to
  /// processes of the same user id, and where the target says that nothing protects it to anybody.
  public init(
    resolver: any Resolver,
    authorize: @escaping @Sendable (PeerIdentity) -> Bool = RPCServer.sameUser
  ) {
    self.resolver = resolver
    self.authorize = authorize
  }

  /// Opens a stream to where the resolver says.
  ///
  /// Nothing is sent to another process than the one that the resolver names. A pipe may end while
  /// its worker lives on; so the address of the last connection is tried first, unless the worker
  /// itself said that it is leaving. When nobody listens there, the incarnation is dead, and only a
  /// newer one will do.
  public func connect(_ request: ConnectRequest) async throws(RPCError) -> EstablishedConnection {
    let last = target.withLock { $0 }
    if let last, let lost = request.predecessor, lost.generation == last.generation {
      if lost.isLeaving {
        bury(last.generation)
      } else if dead.withLock({ $0.map { $0 < last.generation } ?? true }) {
        do throws(RPCError) {
          return try await dial(last)
        } catch {
          guard error.code == .unavailable else { throw error }
        }
      }
    }
    let found = try await resolver.resolve(
      newerThan: dead.withLock { $0 },
      options: CallOptions(timeout: request.timeout, waitForReady: request.waitForReady))
    return try await dial(found)
  }

  private func dial(_ target: ResolvedTarget) async throws(RPCError) -> EstablishedConnection {
    do throws(RPCError) {
      // Nobody can be told from anybody else there, as the manifest says in so many words.
      let isOpen = target.security == .insecure
      let connector = NngConnector(
        address: target.address, security: target.security,
        // The process that the host names may run as the account of workers.
        authorize: { [authorize] in
          isOpen || authorize($0) || target.pid != nil && $0.pid == target.pid
        })
      let stream = try await connector.dial()
      guard target.pid == nil || stream.peer.pid == target.pid else {
        stream.close()
        throw RPCError(
          .permissionDenied,
          "at \(target.address) listens process \(stream.peer.pid ?? 0), and not the worker's, which is "
            + "\(target.pid ?? 0): nothing was sent; see who started that process, and restart the worker"
        )
      }
      self.target.withLock { $0 = target }
      let credentials = RenewedCredentials(of: target, by: resolver)
      return EstablishedConnection(
        stream: stream, generation: target.generation, credentials: { credentials.entries })
    } catch {
      // Nobody listens: whatever the registry still says, that incarnation is over.
      if error.code == .unavailable { bury(target.generation) }
      throw error
    }
  }

  private func bury(_ generation: UInt64) {
    dead.withLock { $0 = max($0 ?? 0, generation) }
  }
}

public import HostContract
import KithIdentity
public import KithRPC

/// Asks a product's host where a worker is.
public struct HostResolver: Resolver {
  /// Who is looked for.
  public enum Target: Sendable, Hashable {
    /// A worker by its name in the product.
    case worker(String)
    /// Whichever worker serves this service, by its full name.
    case service(String)
  }

  private let host: HostClient
  private let target: Target

  /// A resolver that asks this host for this target.
  public init(host: HostClient, target: Target) {
    self.host = host
    self.target = target
  }

  /// Asks once. With `waitForReady` the host holds its answer until there is one to give, so that a
  /// caller learns of a restarted worker at once.
  public func resolve(
    newerThan generation: UInt64?, options: CallOptions
  ) async throws(RPCError) -> ResolvedTarget {
    let target: ResolveRequest.Target =
      switch self.target {
      case .worker(let name): .worker(name)
      case .service(let name): .service(name)
      }
    // The call to the host itself does not wait for a host: the client asks again while somebody
    // waits.
    let response = try await host.resolve(
      ResolveRequest(
        target: target, waitForReady: options.waitForReady, newerThanGeneration: generation ?? 0),
      options: CallOptions(timeout: options.timeout))
    return ResolvedTarget(
      address: response.address, generation: response.generation,
      security: response.security.map(KithRPC.NetworkSecurity.init),
      pid: response.pid > 0 ? response.pid : nil,
      credentials: response.ticket.isEmpty
        ? [] : [.init(key: ProofKeys.ticket, value: .binary(response.ticket))],
      renewal: response.ticket.isEmpty ? nil : .now + .milliseconds(response.ticketValidMs / 2))
  }
}

extension KithRPC.NetworkSecurity {
  fileprivate init(_ security: HostContract.NetworkSecurity) {
    self =
      security.insecure
      ? .insecure
      : .mutualTLS(
        TLSCredentials(
          authorities: security.authorities, certificate: security.certificate,
          privateKey: security.privateKey,
          serverName: security.serverName.isEmpty ? nil : security.serverName))
  }
}

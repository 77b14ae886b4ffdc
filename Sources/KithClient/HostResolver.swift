public import HostContract
import KithIdentity
public import KithRPC
import Synchronization

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
  /// What the host has answered already, for the first who asks.
  private let answered: KnownTarget?

  /// A resolver that asks this host for this target.
  public init(host: HostClient, target: Target) {
    self.init(host: host, target: target, answered: nil)
  }

  init(host: HostClient, target: Target, answered: ResolvedTarget?) {
    self.host = host
    self.target = target
    self.answered = answered.map(KnownTarget.init)
  }

  /// Asks once. With `waitForReady` the host holds its answer until there is one to give, so that a
  /// caller learns of a restarted worker at once.
  public func resolve(
    newerThan generation: UInt64?, options: CallOptions
  ) async throws(RPCError) -> ResolvedTarget {
    if let known = answered?.take(), known.generation > generation ?? 0 { return known }
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
    return ResolvedTarget(response)
  }
}

/// An answer that is used once: whoever asks again asks because it has changed.
private final class KnownTarget: Sendable {
  private let target: Mutex<ResolvedTarget?>

  init(_ target: ResolvedTarget) { self.target = Mutex(target) }

  func take() -> ResolvedTarget? {
    target.withLock { target in
      defer { target = nil }
      return target
    }
  }
}

extension ResolvedTarget {
  /// What a host has answered.
  init(_ response: ResolveResponse) {
    self.init(
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

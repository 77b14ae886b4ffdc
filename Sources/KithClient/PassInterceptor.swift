import HostContract
import KithIdentity
import KithRPC
import Synchronization

/// Sends the host's pass for a person along with each call in that person's name, so that the
/// workers to which the call leads may speak for the person, too. A call whose pass cannot be had
/// goes out without: its callee needs none.
final class PassInterceptor: ClientInterceptor {
  private struct Known {
    var pass: [UInt8]
    var renewal: ContinuousClock.Instant
  }

  /// How many people's passes are kept; past it all are asked for anew.
  private static let mostKept = 1_024
  private static let patience = Duration.seconds(2)

  private let host: HostClient
  private let known = Mutex<[String: Known]>([:])

  init(host: HostClient) { self.host = host }

  func begin(
    _ method: MethodDescriptor, _ options: inout CallOptions
  ) async throws(RPCError) -> ClientCallEnd? {
    guard let user = options.metadata[CallContext.userKey], !user.isEmpty,
      options.metadata[binary: ProofKeys.pass] == nil, let pass = await pass(for: user)
    else { return nil }
    options.metadata.append(binary: pass, forKey: ProofKeys.pass)
    return nil
  }

  private func pass(for user: String) async -> [UInt8]? {
    if let known = known.withLock({ $0[user] }), .now < known.renewal { return known.pass }
    let issued = try? await host.issuePass(
      IssuePassRequest(userId: user),
      options: CallOptions(timeout: Self.patience, inheritsContext: false))
    guard let issued else { return nil }
    known.withLock { known in
      if known.count >= Self.mostKept { known = [:] }
      known[user] = Known(
        pass: issued.pass, renewal: .now + .milliseconds(issued.validMs / 2))
    }
    return issued.pass
  }
}

import KithIdentity
package import KithRPC

/// How a process proves to a product's host who it is.
public enum HostIdentity: Sendable {
  /// As an operator, by the token in this file, which is read for each call: a host that starts
  /// anew may have another. Where the file was removed the token that was read last is shown.
  case `operator`(tokenFile: String)
  /// As one incarnation of a worker, by this encoded `kith.identity.v1.WorkerProof`.
  case worker(proof: [UInt8], actsForUsers: Bool)
  /// Not at all.
  case none

  /// An operator, by the token that the host at this address keeps beside its socket.
  public static func `operator`(at address: String) -> HostIdentity {
    let path = address.hasPrefix("ipc://") ? address.dropFirst("ipc://".count) : address[...]
    let folder = path.lastIndex(of: "/").map { path[..<$0] } ?? "."
    return .operator(tokenFile: "\(folder)/host/\(OperatorToken.fileName)")
  }

  /// What a call to the host shows.
  package var credentials: [Metadata.Entry] {
    switch self {
    case .operator(let file):
      OperatorToken(path: file).map { [.init(key: ProofKeys.operator, value: .text($0.text))] }
        ?? []
    case .worker(let proof, _): [.init(key: ProofKeys.worker, value: .binary(proof))]
    case .none: []
    }
  }

  /// Whether the host issues passes to it.
  package var mayHavePasses: Bool {
    switch self {
    case .operator: true
    case .worker(_, let actsForUsers): actsForUsers
    case .none: false
    }
  }
}

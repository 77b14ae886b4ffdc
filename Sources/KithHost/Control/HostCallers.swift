import KithIdentity
import KithManifest
import KithRPC
import KithSupervision
import Synchronization

/// Tells who calls the control service, and refuses callers that a method is not for.
///
/// The one table of who may call what is the option `kith.callers` of each method in
/// `proto/kith/host/v1/host.proto`. May be asked from any thread.
final class HostCallers: Sendable {
  /// What is known of an incarnation that may call.
  struct Known: Sendable {
    var secret: [UInt8]
    /// The full names of the services that its manifest requires.
    var requires: Set<String>
    /// Whether its manifest grants `acts_for: users`.
    var actsForUsers: Bool
    /// The programs of a person that its manifest lets it see and signal.
    var programs: ProgramsGrant?
  }

  private let product: String
  private let token: OperatorToken
  private let incarnations = Mutex<[Incarnation: Known]>([:])

  init(product: String, token: OperatorToken) {
    self.product = product
    self.token = token
  }

  /// Lets an incarnation call from now on; nil for no longer.
  subscript(incarnation: Incarnation) -> Known? {
    get { incarnations.withLock { $0[incarnation] } }
    set { incarnations.withLock { $0[incarnation] = newValue } }
  }

  /// Who makes a call.
  /// - Throws: UNAUTHENTICATED for a proof that is not valid, or for a stranger where the method is
  ///   not for strangers; PERMISSION_DENIED for a worker where the method is for operators.
  func identify(_ method: MethodDescriptor, _ metadata: Metadata) throws(RPCError) -> Principal {
    let principal = try principal(metadata)
    try method.check(principal)
    return principal
  }

  private func principal(_ metadata: Metadata) throws(RPCError) -> Principal {
    if let shown = metadata[ProofKeys.operator] {
      guard token.accepts(shown) else {
        throw RPCError(
          .unauthenticated,
          "the operator's token is not that of this host: it was read before the host was started anew"
        )
      }
      return .operator
    }
    guard let proof = metadata[binary: ProofKeys.worker] else { return .stranger }
    let worker = WorkerIdentity(provenBy: proof, product: product) { name, generation in
      self[Incarnation(worker: name, generation: generation)]?.secret
    }
    guard let worker,
      let known = self[Incarnation(worker: worker.worker, generation: worker.generation)]
    else {
      throw RPCError(
        .unauthenticated, "the worker's proof is not that of a process that this host leads")
    }
    return .worker(
      worker.worker, generation: worker.generation,
      people: known.actsForUsers ? .everybody : .nobody)
  }
}

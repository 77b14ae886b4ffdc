import KithClient
import KithIdentity
import WorkerContract

extension LaunchRecord {
  /// The incarnation that the record is for.
  var identity: WorkerIdentity {
    WorkerIdentity(product: product, worker: worker, generation: generation)
  }

  /// How the process proves to the host who it is.
  var hostIdentity: HostIdentity {
    guard let proof = try? identity.proof(secret: secret) else { return .none }
    return .worker(proof: proof, actsForUsers: actsForUsers)
  }
}

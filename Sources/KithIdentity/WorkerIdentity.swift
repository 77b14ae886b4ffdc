import Crypto
import IdentityContract
public import KithWire

/// One incarnation of a worker, and the proof of it that only the host can check.
public struct WorkerIdentity: Sendable, Hashable {
  /// The product.
  public let product: String
  /// The worker's name in the product.
  public let worker: String
  /// Its generation.
  public let generation: UInt64

  /// An incarnation.
  public init(product: String, worker: String, generation: UInt64) {
    self.product = product
    self.worker = worker
    self.generation = generation
  }

  /// The encoded proof that a process holds the incarnation's secret.
  public func proof(secret: [UInt8]) throws(WireError) -> [UInt8] {
    let code = Array(
      HMAC<SHA256>.authenticationCode(for: statement, using: SymmetricKey(data: secret)))
    return try WorkerProof(worker: worker, generation: generation, code: code).encoded()
  }

  /// The incarnation that an encoded proof names; nil when it was not made with that incarnation's
  /// secret.
  /// - Parameter secret: the secret of an incarnation by worker and generation; nil for one that
  ///   does not run.
  public init?(
    provenBy proof: [UInt8], product: String, secret: (String, UInt64) -> [UInt8]?
  ) {
    guard let proof = try? WorkerProof(decoding: proof),
      let secret = secret(proof.worker, proof.generation)
    else { return nil }
    self.init(product: product, worker: proof.worker, generation: proof.generation)
    guard
      HMAC<SHA256>.isValidAuthenticationCode(
        proof.code, authenticating: statement, using: SymmetricKey(data: secret))
    else { return nil }
  }

  private var statement: [UInt8] {
    Array("kith-worker-call".utf8) + [0] + Array(product.utf8) + [0] + Array(worker.utf8) + [0]
      + withUnsafeBytes(of: generation.bigEndian) { Array($0) }
  }
}

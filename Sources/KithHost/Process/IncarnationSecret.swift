import Crypto
import WorkerContract

/// The secret of an incarnation, and what both sides prove with it; the proofs are described in
/// `proto/kith/worker/v1/worker.proto`.
struct IncarnationSecret: Sendable {
  /// 32 random bytes.
  let bytes: [UInt8]

  /// A new secret.
  init() {
    bytes = Self.randomBytes()
  }

  /// The secret that a process was started with.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// 32 bytes that nobody can guess.
  static func randomBytes() -> [UInt8] {
    SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
  }

  /// Proves that the caller is the host that started the process.
  func hostProof(nonce: [UInt8]) -> [UInt8] {
    Array(
      HMAC<SHA256>.authenticationCode(
        for: Array("kith-host".utf8) + [0] + nonce, using: SymmetricKey(data: bytes)))
  }

  /// Whether a proof can only come from the process that this secret was given to.
  func accepts(
    workerProof proof: [UInt8], nonce: [UInt8], product: String, worker: String, generation: UInt64
  ) -> Bool {
    var message = Array("kith-worker".utf8) + [0] + nonce
    message += Array(product.utf8) + [0] + Array(worker.utf8) + [0]
    message += withUnsafeBytes(of: generation.bigEndian) { Array($0) }
    // Takes the same time wherever the first difference is.
    return HMAC<SHA256>.isValidAuthenticationCode(
      proof, authenticating: message, using: SymmetricKey(data: bytes))
  }
}

import Crypto

/// What host and worker prove to each other: that they hold the secret of one process, without
/// sending it.
///
/// HMAC-SHA256, so that a listener on the socket learns nothing that it could use; compared in
/// constant time, so that the time of the answer tells nothing either.
struct Proof: Sendable {
  /// How many bytes a secret and a nonce have.
  static let byteCount = 32

  private let key: SymmetricKey

  /// Proofs with this secret.
  init(secret: [UInt8]) {
    key = SymmetricKey(data: secret)
  }

  /// Whether the host's proof over its nonce is right. A nonce of another length than ``byteCount``
  /// never is.
  func isValid(hostProof: [UInt8], nonce: [UInt8]) -> Bool {
    nonce.count == Self.byteCount
      && HMAC<SHA256>.isValidAuthenticationCode(
        hostProof, authenticating: Array("kith-host\0".utf8) + nonce, using: key)
  }

  /// The host's proof over its nonce. A worker only checks it; tests play the host.
  func hostProof(nonce: [UInt8]) -> [UInt8] {
    code(Array("kith-host\0".utf8) + nonce)
  }

  /// The worker's proof over the host's nonce and over which process it is.
  func workerProof(
    nonce: [UInt8], product: String, worker: String, generation: UInt64
  ) -> [UInt8] {
    var message = Array("kith-worker\0".utf8) + nonce
    message += Array(product.utf8) + [0] + Array(worker.utf8) + [0]
    message += withUnsafeBytes(of: generation.bigEndian, Array.init)
    return code(message)
  }

  private func code(_ message: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
  }
}

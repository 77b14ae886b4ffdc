import Crypto

/// A key of one worker, derived by HKDF (RFC 5869) from one of its product's ``KeyRing``.
///
/// The host derives it and hands it over: a worker never sees the ring.
public struct WorkerKey: Sendable, Equatable {
  /// How many bytes a secret has.
  static let size = 32

  /// The number of the ring's key, never 0.
  public let id: UInt32
  let secret: SymmetricKey

  /// A key that was handed over.
  /// - Throws: ``SealingError`` when the id is 0, or the secret has not 32 bytes.
  public init(id: UInt32, secret: [UInt8]) throws(SealingError) {
    guard id != 0 else { throw SealingError("a sealing key has the id 0; expected 1 or more") }
    guard secret.count == Self.size else {
      throw SealingError("sealing key \(id) has \(secret.count) bytes; expected \(Self.size)")
    }
    self.id = id
    self.secret = SymmetricKey(data: secret)
  }

  init(of key: KeyRing.Key, worker: String) {
    id = key.id
    secret = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: key.secret, info: Array("kith sealing\0\(worker)".utf8),
      outputByteCount: Self.size)
  }

  /// The secret, to be handed over to its worker and to nobody else.
  public var bytes: [UInt8] { secret.withUnsafeBytes { Array($0) } }
}

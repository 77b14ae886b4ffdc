import Crypto
import CryptoExtras

/// A ring that only who knows a passphrase can read: for a backup that is to open on another
/// machine.
///
/// scrypt (RFC 7914) with 64 MiB of memory makes a key of the passphrase, so that guessing is slow;
/// ChaCha20-Poly1305 seals the ring's text with it.
public struct PassphraseSealing: Sendable {
  private static let saltSize = 16
  private static let place: [UInt8] = Array("kith key ring".utf8)

  private let passphrase: [UInt8]

  /// A sealing with a passphrase.
  /// - Throws: ``SealingError`` for one of fewer than 12 bytes.
  public init(passphrase: String) throws(SealingError) {
    guard passphrase.utf8.count >= 12 else {
      throw SealingError("the passphrase is too short: give 12 characters or more")
    }
    self.passphrase = Array(passphrase.utf8)
  }

  /// Seals a ring.
  public func seal(_ ring: KeyRing) throws(SealingError) -> [UInt8] {
    let salt = SymmetricKey(size: SymmetricKeySize(bitCount: Self.saltSize * 8))
      .withUnsafeBytes { Array($0) }
    do {
      let box = try ChaChaPoly.seal(
        Array(ring.text.utf8), using: try key(salt), authenticating: Self.place)
      return salt + Array(box.combined)
    } catch {
      throw SealingError("the key cannot be sealed with the passphrase")
    }
  }

  /// Opens what ``seal(_:)`` sealed.
  /// - Throws: ``SealingError`` when the passphrase is another one, or the bytes were changed.
  public func open(_ sealed: [UInt8]) throws(SealingError) -> KeyRing {
    do {
      let box = try ChaChaPoly.SealedBox(combined: sealed.dropFirst(Self.saltSize))
      let text = try ChaChaPoly.open(
        box, using: try key(Array(sealed.prefix(Self.saltSize))), authenticating: Self.place)
      guard let ring = KeyRing(text: String(decoding: text, as: UTF8.self)) else {
        throw SealingError("it holds no ring")
      }
      return ring
    } catch {
      throw SealingError("the passphrase does not open the key of this backup")
    }
  }

  private func key(_ salt: [UInt8]) throws -> SymmetricKey {
    try KDF.Scrypt.deriveKey(
      from: passphrase, salt: salt, outputByteCount: 32, rounds: 1 << 16, blockSize: 8,
      parallelism: 1)
  }
}

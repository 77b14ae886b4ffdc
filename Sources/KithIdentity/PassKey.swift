import Crypto
public import IdentityContract
public import KithRPC
import KithWire

/// The host's key for passes: who holds one may speak for the person whom it names, until it
/// expires.
public struct PassKey: Sendable {
  static let prefix = Array("kith-pass".utf8) + [0]

  private let key: Curve25519.Signing.PrivateKey

  /// A new key.
  public init() { key = Curve25519.Signing.PrivateKey() }

  /// The key of these 32 bytes; nil for anything else.
  public init?(bytes: [UInt8]) {
    guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes) else { return nil }
    self.key = key
  }

  /// The private key, 32 bytes.
  public var bytes: [UInt8] { Array(key.rawRepresentation) }

  /// The public key, 32 bytes: what every worker checks passes with.
  public var publicBytes: [UInt8] { Array(key.publicKey.rawRepresentation) }

  /// An encoded pass.
  /// - Throws: INTERNAL when it cannot be signed.
  public func issue(_ statement: PassStatement) throws(RPCError) -> [UInt8] {
    do {
      let statement = try statement.encoded()
      let signature = try key.signature(for: Self.prefix + statement)
      return try Pass(statement: statement, signature: Array(signature)).encoded()
    } catch {
      throw RPCError(.internal, "the pass cannot be signed")
    }
  }
}

/// The public half of a ``PassKey``.
struct PassCheck: Sendable {
  private let key: Curve25519.Signing.PublicKey?

  /// The key of these 32 bytes. Of anything else no pass is valid.
  init(publicBytes: [UInt8]) {
    key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicBytes)
  }

  /// The statement of an encoded pass; nil for anything that the host has not signed.
  func open(_ pass: [UInt8]) -> PassStatement? {
    guard let key, let pass = try? Pass(decoding: pass),
      key.isValidSignature(pass.signature, for: PassKey.prefix + pass.statement)
    else { return nil }
    return try? PassStatement(decoding: pass.statement)
  }
}

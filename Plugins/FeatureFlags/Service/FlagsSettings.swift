public import Crypto
import FoundationEssentials
public import KithRPC

/// What the configuration says.
public struct FlagsSettings: Sendable {
  /// How long a flag may be the same for everybody before it is called stale.
  public var patience: Duration
  /// Who must have signed a file that is imported; nil for nobody.
  public var signingKey: Curve25519.Signing.PublicKey?

  /// Settings.
  /// - Parameter signingKey: an Ed25519 public key, 32 bytes in base64; empty for none.
  /// - Throws: INVALID_ARGUMENT.
  public init(patience: Duration, signingKey: String) throws(RPCError) {
    self.patience = patience
    guard !signingKey.isEmpty else { return }
    guard let bytes = Data(base64Encoded: signingKey),
      let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes)
    else {
      throw .invalidArgument(
        field: "signing_key", "expected an Ed25519 public key, 32 bytes in base64")
    }
    self.signingKey = key
  }
}

import Crypto
import CryptoExtras
import EntitlementsDomain
import FoundationEssentials
import KithRPC

/// The signature of a purchase of Google Play: RSASSA-PKCS1-v1_5 with SHA-1, over the very bytes
/// that the device has.
struct GoogleSignature: Sendable {
  let package: String
  private let key: _RSA.Signing.PublicKey

  /// - Parameter key: the app's licence key: an RSA public key, SubjectPublicKeyInfo in base64.
  /// - Throws: INVALID_ARGUMENT that names the key of the configuration.
  init(package: String, key: String) throws(RPCError) {
    guard let bytes = Data(base64Encoded: key),
      let key = try? _RSA.Signing.PublicKey(derRepresentation: bytes)
    else {
      throw .invalidArgument(
        field: "configuration.google_key",
        "expected the app's licence key: an RSA public key in base64")
    }
    (self.package, self.key) = (package, key)
  }

  /// Checks a purchase.
  func check(_ purchase: [UInt8], signature: String) throws(StatementProblem) {
    guard signature.utf8.count <= 4096, let bytes = Data(base64Encoded: signature),
      key.isValidSignature(
        _RSA.Signing.RSASignature(rawRepresentation: bytes),
        for: Insecure.SHA1.hash(data: purchase), padding: .insecurePKCS1v1_5)
    else { throw StatementProblem(.signature, "expected Google's signature over these very bytes") }
  }
}

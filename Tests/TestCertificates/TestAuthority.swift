import Crypto
import FoundationEssentials
import Glibc
public import KithRPC
import SwiftASN1
import X509

/// A certificate authority that lives as long as a test, and the files of whom it has signed for.
public final class TestAuthority {
  private let folder: String
  private let name: DistinguishedName
  private let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
  private let certificate: Certificate

  /// Now, by the system's clock: certificates are for real time.
  private static var now: Int { Int(time(nil)) }

  /// An authority of a name, whose files are in a folder.
  public init(_ commonName: String, folder: String) throws {
    self.folder = folder
    name = try DistinguishedName { CommonName(commonName) }
    certificate = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(),
      publicKey: key.publicKey, notValidBefore: .init(timeIntervalSince1970: Double(Self.now - 60)),
      notValidAfter: .init(timeIntervalSince1970: Double(Self.now + 3600)), issuer: name,
      subject: name, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
        Critical(KeyUsage(keyCertSign: true))
      }, issuerPrivateKey: key)
    try write(certificate.serializeAsPEM().pemString, "\(commonName).ca.pem", mode: 0o644)
    authorities = "\(folder)/\(commonName).ca.pem"
  }

  /// The path of the authority's own certificate.
  public private(set) var authorities = ""

  /// Credentials for `host`, valid until so many seconds from now, that trust `trusted`.
  public func credentials(
    _ file: String, host: String = "127.0.0.1", validFor seconds: Int = 3600,
    trusting trusted: TestAuthority? = nil
  ) throws -> TLSCredentials {
    let own = Certificate.PrivateKey(P256.Signing.PrivateKey())
    let leaf = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: own.publicKey,
      notValidBefore: .init(timeIntervalSince1970: Double(Self.now - 7200)),
      notValidAfter: .init(timeIntervalSince1970: Double(Self.now + seconds)), issuer: name,
      subject: try DistinguishedName { CommonName(host) }, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.notCertificateAuthority)
        // mbedTLS compares a host that is an address with the DNS names too.
        SubjectAlternativeNames([.dnsName(host)])
      }, issuerPrivateKey: key)
    try write(leaf.serializeAsPEM().pemString, "\(file).pem", mode: 0o644)
    try write(own.serializeAsPEM().pemString, "\(file).key", mode: 0o600)
    return TLSCredentials(
      authorities: (trusted ?? self).authorities, certificate: "\(folder)/\(file).pem",
      privateKey: "\(folder)/\(file).key")
  }

  private func write(_ text: String, _ file: String, mode: mode_t) throws {
    let path = "\(folder)/\(file)"
    unlink(path)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    precondition(descriptor >= 0, "\(path) cannot be written")
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    precondition(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
  }
}

import Crypto
import FoundationEssentials
import KithCertificates
import SwiftASN1
import Testing
import X509
import _CryptoExtras

/// What a process shows of itself is looked at first.
struct OwnCertificateTests {
  private static let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
  private static let hour = 3600

  /// A certificate for `key` that is valid from 0 to an hour, signed by itself.
  private static func certificate() throws -> String {
    let name = try DistinguishedName { CommonName("tests") }
    return try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
      notValidBefore: Date(timeIntervalSince1970: 0),
      notValidAfter: Date(timeIntervalSince1970: Double(hour)), issuer: name, subject: name,
      signatureAlgorithm: .ecdsaWithSHA256, extensions: Certificate.Extensions {},
      issuerPrivateKey: key
    ).serializeAsPEM().pemString
  }

  private static func problem(
    _ certificate: String, _ key: String, at seconds: Int = 1
  ) -> OwnCertificate.Problem? {
    do throws(OwnCertificate.Problem) {
      try OwnCertificate(certificate: certificate, privateKey: key).check(at: seconds)
      return nil
    } catch {
      return error
    }
  }

  @Test func itIsGoodInItsTime() throws {
    let certificate = try Self.certificate()
    let key = try Self.key.serializeAsPEM().pemString
    for second in [0, 1, Self.hour] {
      #expect(Self.problem(certificate, key, at: second) == nil)
    }
    #expect(
      Self.problem(certificate, key, at: Self.hour + 1) == .expired("1970-01-01T01:00:00Z"))
    #expect(Self.problem(certificate, key, at: -1) == .notYetValid("1970-01-01T00:00:00Z"))
  }

  /// A certificate and its key of each kind that mbedTLS takes.
  private static func pair(_ key: Certificate.PrivateKey) throws -> (String, String) {
    let name = try DistinguishedName { CommonName("tests") }
    let certificate = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
      notValidBefore: Date(timeIntervalSince1970: 0),
      // Past 2049 the time is written in another form.
      notValidAfter: Date(timeIntervalSince1970: 4_000_000_000), issuer: name, subject: name,
      signatureAlgorithm: .ecdsaWithSHA256, extensions: Certificate.Extensions {},
      issuerPrivateKey: Self.key)
    return (try certificate.serializeAsPEM().pemString, try key.serializeAsPEM().pemString)
  }

  @Test func keysOfAllKindsAreKnown() throws {
    let pairs = [
      try Self.pair(Certificate.PrivateKey(P256.Signing.PrivateKey())),
      try Self.pair(Certificate.PrivateKey(P384.Signing.PrivateKey())),
      try Self.pair(Certificate.PrivateKey(P521.Signing.PrivateKey())),
      try Self.pair(Certificate.PrivateKey(_RSA.Signing.PrivateKey(keySize: .bits2048))),
      try Self.pair(Certificate.PrivateKey(_RSA.Signing.PrivateKey(keySize: .bits2048))),
    ]
    for (place, (certificate, key)) in pairs.enumerated() {
      #expect(Self.problem(certificate, key) == nil)
      #expect(Self.problem(certificate, key, at: 4_000_000_001) == .expired("2096-10-02T07:06:40Z"))
      for (other, (_, key)) in pairs.enumerated() where other != place {
        #expect(Self.problem(certificate, key) == .keyOfAnother)
      }
    }
    // SEC 1, as `openssl ecparam -genkey` writes it, with the parameters in front.
    let key = P256.Signing.PrivateKey()
    let (certificate, text) = try Self.pair(Certificate.PrivateKey(key))
    #expect(text.contains("BEGIN PRIVATE KEY"))
    let parameters =
      "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
    #expect(Self.problem(certificate, parameters + key.pemRepresentation) == nil)
  }

  @Test func theFirstOfAChainCounts() throws {
    let key = try Self.key.serializeAsPEM().pemString
    let chain = try Self.certificate() + "\n" + Self.certificate()
    #expect(Self.problem(chain, key) == nil)
  }

  @Test func aKeyOfAnotherCertificateIsFound() throws {
    let other = try Certificate.PrivateKey(P256.Signing.PrivateKey()).serializeAsPEM().pemString
    #expect(Self.problem(try Self.certificate(), other) == .keyOfAnother)
  }

  @Test func whatIsNoCertificateOrNoKeyIsSaidToBeNone() throws {
    let certificate = try Self.certificate()
    let key = try Self.key.serializeAsPEM().pemString
    #expect(Self.problem("", key) == .certificateUnreadable("there is none in it"))
    #expect(Self.problem(key, key) == .certificateUnreadable("there is none in it"))
    #expect(Self.problem(certificate, certificate) == .keyUnreadable("there is none in it"))
    for damaged in [1, 7, 19, 60, 200].map({ place in
      var lines = certificate.split(separator: "\n").map(String.init)
      var body = Array(lines[1...(lines.count - 2)].joined())
      body.removeSubrange(min(place, body.count - 4)..<min(place + 4, body.count))
      lines = [lines[0], String(body), lines[lines.count - 1]]
      return lines.joined(separator: "\n") + "\n"
    }) {
      #expect(Self.problem(damaged, key) != nil, "\(damaged)")
    }
    #expect(
      Self.problem(
        certificate,
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMAA=\n-----END ENCRYPTED PRIVATE KEY-----")
        == .keyUnreadable("it is encrypted"))
  }
}

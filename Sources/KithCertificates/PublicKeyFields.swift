import Crypto
import SwiftASN1

/// A public key, as far as it tells one key from another.
enum PublicKeyFields: Equatable {
  /// The modulus of RSA.
  case rsa([UInt8])
  /// Any other, as `SubjectPublicKeyInfo` in DER.
  case other([UInt8])

  private static let rsaEncryption: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 1]

  /// The key that a certificate is for, from its `SubjectPublicKeyInfo`.
  init(derEncoded node: ASN1Node) throws {
    let (algorithm, key) = try DER.sequence(node, identifier: .sequence) { nodes in
      let algorithm = try Self.algorithm(&nodes)
      return (algorithm, try ASN1BitString(derEncoded: &nodes).bytes)
    }
    if algorithm == Self.rsaEncryption {
      self = .rsa(try Self.integer(0, of: key))
    } else {
      self = .other(Array(node.encodedBytes))
    }
  }

  /// The public half of a private key.
  init(privateKey document: PEMDocument) throws {
    switch document.discriminator {
    case "RSA PRIVATE KEY": self = .rsa(try Self.integer(1, of: document.derBytes[...]))
    case "PRIVATE KEY":
      let (algorithm, key) = try DER.sequence(
        try DER.parse(document.derBytes), identifier: .sequence
      ) { nodes in
        _ = nodes.next()
        let algorithm = try Self.algorithm(&nodes)
        let key = try ASN1OctetString(derEncoded: &nodes).bytes
        while nodes.next() != nil {}
        return (algorithm, key)
      }
      self =
        algorithm == Self.rsaEncryption
        ? .rsa(try Self.integer(1, of: key)) : .other(try Self.curve(document.pemString))
    case "ENCRYPTED PRIVATE KEY": throw OwnCertificate.Problem.keyUnreadable("it is encrypted")
    default: self = .other(try Self.curve(document.pemString))
    }
  }

  /// The identifier in an `AlgorithmIdentifier`.
  private static func algorithm(
    _ nodes: inout ASN1NodeCollection.Iterator
  ) throws -> ASN1ObjectIdentifier {
    guard let node = nodes.next() else { throw ASN1Error.truncatedASN1Field() }
    return try DER.sequence(node, identifier: .sequence) { nodes in
      let identifier = try ASN1ObjectIdentifier(derEncoded: &nodes)
      while nodes.next() != nil {}
      return identifier
    }
  }

  /// The integer at a place of a sequence of them (RFC 8017, A.1): of a public key the modulus is
  /// the first, of a private one the second, behind a version.
  private static func integer(_ place: Int, of bytes: ArraySlice<UInt8>) throws -> [UInt8] {
    try DER.sequence(try DER.parse(bytes), identifier: .sequence) { nodes in
      var integers: [[UInt8]] = []
      while let node = nodes.next() {
        if node.identifier == .integer { integers.append(Array(node.encodedBytes)) }
      }
      guard integers.count > place else { throw ASN1Error.truncatedASN1Field() }
      return integers[place]
    }
  }

  /// The public key of a private one on one of the curves of NIST.
  private static func curve(_ text: String) throws -> [UInt8] {
    if let key = try? P256.Signing.PrivateKey(pemRepresentation: text) {
      return Array(key.publicKey.derRepresentation)
    }
    if let key = try? P384.Signing.PrivateKey(pemRepresentation: text) {
      return Array(key.publicKey.derRepresentation)
    }
    return Array(try P521.Signing.PrivateKey(pemRepresentation: text).publicKey.derRepresentation)
  }
}

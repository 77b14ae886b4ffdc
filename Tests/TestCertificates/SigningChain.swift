public import Crypto
public import Foundation
public import KithJSON
import SwiftASN1
import X509

/// A chain of three certificates as Apple's: a root, an intermediate and a leaf, with or without
/// the marks.
public struct SigningChain: Sendable {
  static let leafMark: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]
  static let intermediateMark: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]

  /// The root, in DER.
  public let root: [UInt8]
  /// The intermediate, in DER.
  public let intermediate: [UInt8]
  /// The leaf, in DER.
  public let leaf: [UInt8]
  /// The leaf's key.
  public let key = P256.Signing.PrivateKey()

  /// A new chain.
  /// - Parameter days: for how long the leaf is valid from `begin` on.
  public init(
    begin: Double, days: Double = 30, marksLeaf: Bool = true, marksIntermediate: Bool = true
  ) throws {
    let rootKey = Certificate.PrivateKey(P256.Signing.PrivateKey())
    let intermediateKey = Certificate.PrivateKey(P256.Signing.PrivateKey())
    func make(
      _ name: String, of key: Certificate.PrivateKey, by issuer: String,
      _ issuerKey: Certificate.PrivateKey, days: Double, isAuthority: Bool,
      mark: ASN1ObjectIdentifier?
    ) throws -> [UInt8] {
      var extensions = try Certificate.Extensions {
        Critical(
          isAuthority
            ? BasicConstraints.isCertificateAuthority(maxPathLength: nil)
            : .notCertificateAuthority)
      }
      if let mark {
        try extensions.append(Certificate.Extension(oid: mark, critical: false, value: [5, 0]))
      }
      let certificate = try Certificate(
        version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
        notValidBefore: Date(timeIntervalSince1970: begin - 86_400),
        notValidAfter: Date(timeIntervalSince1970: begin + days * 86_400),
        issuer: try DistinguishedName { CommonName(issuer) },
        subject: try DistinguishedName { CommonName(name) },
        signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions, issuerPrivateKey: issuerKey)
      var serializer = DER.Serializer()
      try serializer.serialize(certificate)
      return serializer.serializedBytes
    }
    root = try make(
      "root", of: rootKey, by: "root", rootKey, days: 3650, isAuthority: true, mark: nil)
    intermediate = try make(
      "intermediate", of: intermediateKey, by: "root", rootKey, days: 3650, isAuthority: true,
      mark: marksIntermediate ? Self.intermediateMark : nil)
    leaf = try make(
      "leaf", of: Certificate.PrivateKey(key), by: "intermediate", intermediateKey, days: days,
      isAuthority: false, mark: marksLeaf ? Self.leafMark : nil)
  }

  /// A signed statement.
  public func statement(
    _ payload: JSONValue, algorithm: String = "ES256", certificates: [[UInt8]]? = nil,
    inDER: Bool = false
  ) throws -> [UInt8] {
    let chain = (certificates ?? [leaf, intermediate, root]).map {
      JSONValue.string(Data($0).base64EncodedString())
    }
    let header: JSONValue = ["alg": .string(algorithm), "x5c": .array(chain)]
    let signed = Self.base64URL(header.text()) + "." + Self.base64URL(payload.text())
    let signature = try key.signature(for: Data(signed.utf8))
    let bytes = inDER ? signature.derRepresentation : signature.rawRepresentation
    return Array((signed + "." + Self.base64URL(bytes)).utf8)
  }

  /// A text as a segment.
  public static func base64URL(_ text: String) -> String { base64URL(Data(text.utf8)) }

  /// Bytes as a segment.
  public static func base64URL(_ bytes: Data) -> String {
    bytes.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }
}

import FoundationEssentials
import SwiftASN1

/// What a process shows of itself on the network: its certificate and the key that belongs to it. A
/// value; reads no file and no clock.
///
/// TLS itself tells the side that shows a bad certificate next to nothing: the other side just ends
/// the connection. So whoever is about to show one looks at it first. Whom to believe is left to
/// TLS.
public struct OwnCertificate: Sendable, Equatable {
  /// What is wrong with it; the caller names the files.
  public enum Problem: Error, Sendable, Equatable {
    /// The first certificate cannot be read.
    case certificateUnreadable(String)
    /// The key cannot be read: it is encrypted, or no key in PEM (PKCS#8, SEC 1 or PKCS#1).
    case keyUnreadable(String)
    /// The key is that of another certificate.
    case keyOfAnother
    /// Its time is over; since when, as `2026-11-21T08:00:00Z`.
    case expired(String)
    /// Its time has not come; when it will.
    case notYetValid(String)
  }

  /// The first second of its time, as `2026-11-21T08:00:00Z`: such texts are in the order of time.
  public let notBefore: String
  /// The last second of its time.
  public let notAfter: String

  /// Reads a certificate, which is the first in its text, and checks that the key is its own.
  ///
  /// - Throws: ``Problem`` that says what is wrong.
  public init(certificate text: String, privateKey keyText: String) throws(Problem) {
    let certificate = try Self.certificate(text)
    notBefore = certificate.notBefore
    notAfter = certificate.notAfter
    guard try Self.key(keyText) == certificate.key else { throw .keyOfAnother }
  }

  /// Checks that it is valid at a time, in seconds since 1970.
  ///
  /// - Throws: ``Problem/expired(_:)`` or ``Problem/notYetValid(_:)``.
  public func check(at seconds: Int) throws(Problem) {
    let moment = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    if moment > notAfter { throw .expired(notAfter) }
    if moment < notBefore { throw .notYetValid(notBefore) }
  }

  private static func certificate(_ text: String) throws(Problem) -> CertificateFields {
    do {
      guard
        let document = try PEMDocument.parseMultiple(pemString: text)
          .first(where: { $0.discriminator == "CERTIFICATE" })
      else { throw Problem.certificateUnreadable("there is none in it") }
      return try CertificateFields(derEncoded: document.derBytes)
    } catch let problem as Problem {
      throw problem
    } catch {
      throw .certificateUnreadable("it is damaged")
    }
  }

  private static func key(_ text: String) throws(Problem) -> PublicKeyFields {
    do {
      guard
        // Parameters may stand before a key.
        let document = try PEMDocument.parseMultiple(pemString: text)
          .first(where: { $0.discriminator.hasSuffix("PRIVATE KEY") })
      else { throw Problem.keyUnreadable("there is none in it") }
      return try PublicKeyFields(privateKey: document)
    } catch let problem as Problem {
      throw problem
    } catch {
      // What the error says may quote the key.
      throw .keyUnreadable("expected an EC or RSA key in PKCS#8, SEC 1 or PKCS#1")
    }
  }
}

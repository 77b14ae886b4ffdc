import Crypto
import FoundationEssentials
public import KithJSON
public import KithTime
import SwiftASN1
@_spi(FixedExpiryValidationTime) import X509

/// Verifies what Apple has signed: transactions, renewal info, notifications and app transactions,
/// as JWS. A value; asks no network.
///
/// The last certificate of a statement is never trusted: the first two must lead to one of the
/// pinned roots, and carry Apple's marks.
public struct AppleVerifier: Sendable {
  /// Where a purchase was made.
  public enum Environment: String, Sendable, Hashable {
    case production = "Production"
    case sandbox = "Sandbox"
    /// Signed by Xcode alone: anybody can make one.
    case xcode = "Xcode"
    /// Signed by a test on a developer's machine: anybody can make one.
    case localTesting = "LocalTesting"

    var isSignedByApple: Bool { self == .production || self == .sandbox }
  }

  /// What a statement is about.
  public enum Subject: Sendable, Hashable {
    case transaction, renewalInfo, notification, appTransaction
  }

  /// At which time certificates must be valid.
  public enum Time: Sendable, Hashable {
    /// When the statement was signed, as it says itself: for one that was kept.
    case whenSigned
    /// Now.
    case now
  }

  private static let mostBytes = 256 << 10
  private static let leafMark: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]
  private static let intermediateMark: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]

  private let roots: [Certificate]
  private let bundleID: String
  private let appAppleID: Int64?
  private let environment: Environment

  /// A verifier for one app in one environment.
  /// - Parameters:
  ///   - roots: the trusted root certificates, in DER.
  ///   - appAppleID: the app's number; needed in production for what names it.
  /// - Throws: `certificates` if a root cannot be read, or there is none where Apple signs.
  public init(
    roots: [[UInt8]], bundleID: String, appAppleID: Int64? = nil, environment: Environment
  ) throws(AppleProblem) {
    guard !roots.isEmpty || !environment.isSignedByApple else {
      throw AppleProblem(.certificates, "expected at least one root certificate")
    }
    var read: [Certificate] = []
    for root in roots { read.append(try Self.certificate(root)) }
    self.roots = read
    (self.bundleID, self.appAppleID, self.environment) = (bundleID, appAppleID, environment)
  }

  /// What a statement says that it is about, before it is verified. A transaction where it cannot
  /// be told.
  public static func subject(of statement: [UInt8]) -> Subject {
    let segments = statement.prefix(mostBytes + 1).split(
      separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
    guard statement.count <= mostBytes, segments.count == 3, let payload = json(segments[1]) else {
      return .transaction
    }
    if payload["notificationType"] != nil { return .notification }
    if payload["receiptType"] != nil { return .appTransaction }
    return payload["autoRenewStatus"] != nil ? .renewalInfo : .transaction
  }

  /// Verifies a statement.
  /// - Returns: what it says.
  public func verify(
    _ statement: [UInt8], about subject: Subject, time: Time = .whenSigned, now: Instant
  ) async throws(AppleProblem) -> JSONValue {
    guard statement.count <= Self.mostBytes else {
      throw AppleProblem(.tooLarge, "expected up to \(Self.mostBytes) bytes")
    }
    let segments = statement.split(
      separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
    guard segments.count == 3, let header = Self.json(segments[0]),
      let payload = Self.json(segments[1]), let signature = Base64URL.decode(segments[2])
    else {
      throw AppleProblem(.malformed, "expected three segments of base64url, two of them JSON")
    }
    if environment.isSignedByApple {
      let signed =
        payload["signedDate"]?.integerValue ?? payload["receiptCreationDate"]?.integerValue
      let moment =
        time == .whenSigned ? signed.map { Instant(milliseconds: Int($0)) } ?? now : now
      let key = try await key(of: header, at: moment)
      // r and s as they are, 32 bytes each: a signature in DER is none.
      let isSigned =
        signature.count == 64
        && (try? P256.Signing.ECDSASignature(rawRepresentation: signature)).map {
          key.isValidSignature($0, for: statement[..<segments[1].endIndex])
        } ?? false
      guard isSigned else {
        throw AppleProblem(.signature, "expected a signature by the first certificate's key")
      }
    }
    try check(payload, about: subject)
    return payload
  }

  // MARK: The chain

  private func key(
    of header: JSONValue, at moment: Instant
  ) async throws(AppleProblem) -> P256.Signing.PublicKey {
    guard header["alg"] == "ES256" else { throw AppleProblem(.algorithm, "expected ES256") }
    guard let chain = header["x5c"]?.arrayValue?.compactMap(\.stringValue), chain.count == 3,
      header["x5c"]?.arrayValue?.count == 3, let leafBytes = Data(base64Encoded: chain[0]),
      let intermediateBytes = Data(base64Encoded: chain[1])
    else { throw AppleProblem(.certificates, "expected three certificates in base64") }
    let leaf = try Self.certificate(Array(leafBytes))
    let intermediate = try Self.certificate(Array(intermediateBytes))
    guard leaf.extensions[oid: Self.leafMark] != nil,
      intermediate.extensions[oid: Self.intermediateMark] != nil
    else { throw AppleProblem(.marker, "expected certificates that Apple has marked") }
    var verifier = Verifier(rootCertificates: CertificateStore(roots)) {
      RFC5280Policy(
        fixedExpiryValidationTime: Date(timeIntervalSince1970: Double(moment.milliseconds) / 1000))
    }
    let result = await verifier.validate(
      leaf: leaf, intermediates: CertificateStore([intermediate]))
    guard case .validCertificate(let path) = result, path.count == 3 else {
      throw AppleProblem(.chain, "expected certificates that lead to a trusted root")
    }
    guard let key = P256.Signing.PublicKey(leaf.publicKey) else {
      throw AppleProblem(.certificates, "expected a key on the curve P-256")
    }
    return key
  }

  private static func certificate(_ bytes: [UInt8]) throws(AppleProblem) -> Certificate {
    do {
      return try Certificate(derEncoded: bytes)
    } catch {
      throw AppleProblem(.certificates, "a certificate cannot be read")
    }
  }

  private static func json(_ segment: ArraySlice<UInt8>) -> JSONValue? {
    guard let bytes = Base64URL.decode(segment),
      let value = try? JSONValue(parsing: bytes, limits: JSONLimits(maximumDepth: 20)),
      value.objectValue != nil
    else { return nil }
    return value
  }

  // MARK: The contents

  private func check(_ payload: JSONValue, about subject: Subject) throws(AppleProblem) {
    let place: JSONValue?
    var environmentKey = "environment"
    switch subject {
    case .transaction, .renewalInfo: place = payload
    case .notification:
      place =
        payload["data"] ?? payload["summary"] ?? payload["externalPurchaseToken"]
        ?? payload["appData"]
    case .appTransaction: (place, environmentKey) = (payload, "receiptType")
    }
    guard let place else { throw AppleProblem(.malformed, "expected what it is about") }
    // Renewal info names no app: it comes inside of what does.
    if subject != .renewalInfo {
      guard place["bundleId"]?.stringValue == bundleID else {
        throw AppleProblem(.app, "it is about another app")
      }
      if environment == .production, subject != .transaction {
        guard let appAppleID, place["appAppleId"]?.integerValue == appAppleID else {
          throw AppleProblem(.app, "it is about another app, or the app's number is not configured")
        }
      }
    }
    guard place[environmentKey]?.stringValue == environment.rawValue else {
      throw AppleProblem(.environment, "it is of another environment")
    }
  }
}

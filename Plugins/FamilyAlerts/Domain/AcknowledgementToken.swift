import Crypto
public import FoundationEssentials
public import KithTime

/// What the link in a message proves: that it was sent to this contact about this incident, and
/// until when it counts.
public struct AcknowledgementToken: Sendable, Hashable {
  /// How long a token counts.
  public static let lifetime = Duration.seconds(86_400)
  private static let statementBytes = 40
  private static let codeBytes = 16

  /// The incident's id.
  public let incident: UUID
  /// The contact's id.
  public let contact: UUID
  /// When it counts no more.
  public let expiresAt: Instant

  /// A token.
  public init(incident: UUID, contact: UUID, expiresAt: Instant) {
    self.incident = incident
    self.contact = contact
    self.expiresAt = expiresAt
  }

  /// The token of a text, if it was made with this secret. Whether it has expired is for the caller
  /// to decide.
  public init?(_ text: String, secret: [UInt8]) {
    guard let bytes = Base64URL.bytes(of: text),
      bytes.count == Self.statementBytes + Self.codeBytes
    else { return nil }
    let (statement, code) = (bytes[..<Self.statementBytes], bytes[Self.statementBytes...])
    let right = Self.code(of: Array(statement), secret)
    // All bytes are compared, so that the time tells nothing.
    guard zip(code, right).reduce(0 as UInt8, { $0 | ($1.0 ^ $1.1) }) == 0 else { return nil }
    incident = Self.uuid(statement[..<16])
    contact = Self.uuid(statement[16..<32])
    expiresAt = Instant(
      milliseconds: Int(truncatingIfNeeded: statement[32...].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }))
  }

  /// The token as text for a link: 75 letters, digits, `-` and `_`.
  public func text(secret: [UInt8]) -> String {
    var statement = Self.bytes(of: incident) + Self.bytes(of: contact)
    let time = UInt64(bitPattern: Int64(expiresAt.milliseconds))
    statement += stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: time >> $0) }
    return Base64URL.text(of: statement + Self.code(of: statement, secret))
  }

  /// HMAC-SHA256, cut to 128 bits so that links stay short (RFC 2104, section 5).
  private static func code(of statement: [UInt8], _ secret: [UInt8]) -> [UInt8] {
    Array(
      HMAC<SHA256>.authenticationCode(
        for: Array("kith acknowledgement 1".utf8) + statement, using: SymmetricKey(data: secret))
    ).prefix(codeBytes).map { $0 }
  }

  private static func bytes(of id: UUID) -> [UInt8] { withUnsafeBytes(of: id.uuid, Array.init) }

  private static func uuid(_ bytes: ArraySlice<UInt8>) -> UUID {
    let b = Array(bytes)
    return UUID(
      uuid: (
        b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
        b[14], b[15]
      ))
  }
}

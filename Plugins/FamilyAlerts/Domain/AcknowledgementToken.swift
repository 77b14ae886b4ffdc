public import KithTime

/// What the link in a message proves: that it was sent to this contact about this incident, and
/// until when it counts.
public struct AcknowledgementToken: Sendable, Hashable {
  /// Makes the code of a statement that nobody can make without the secret, such as HMAC-SHA256; of
  /// 16 bytes or more.
  public typealias Code = (_ statement: [UInt8]) -> [UInt8]

  /// How long a token counts.
  public static let lifetime = Duration.seconds(86_400)
  private static let statementBytes = 41
  /// The first byte of a token: its text then begins with a letter, and is no flag on a command
  /// line.
  private static let version: UInt8 = 1
  /// A code is cut to 128 bits so that links stay short (RFC 2104, section 5).
  private static let codeBytes = 16

  /// The incident's id, a UUID in small letters.
  public let incident: String
  /// The contact's id, a UUID in small letters.
  public let contact: String
  /// When it counts no more.
  public let expiresAt: Instant

  /// A token; nil unless both ids are UUIDs.
  public init?(incident: String, contact: String, expiresAt: Instant) {
    guard Self.bytes(of: incident) != nil, Self.bytes(of: contact) != nil else { return nil }
    self.incident = incident
    self.contact = contact
    self.expiresAt = expiresAt
  }

  /// The token of a text, if it was made with this code. Whether it has expired is for the caller
  /// to decide.
  public init?(_ text: String, code: Code) {
    guard let bytes = Base64URL.bytes(of: text),
      bytes.count == Self.statementBytes + Self.codeBytes
    else { return nil }
    let statement = Array(bytes[..<Self.statementBytes])
    // All bytes are compared, so that the time tells nothing.
    let difference = zip(bytes[Self.statementBytes...], code(statement))
      .reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) }
    guard difference == 0, statement[0] == Self.version else { return nil }
    let time = statement[33...].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    incident = Self.text(of: statement[1..<17])
    contact = Self.text(of: statement[17..<33])
    expiresAt = Instant(milliseconds: Int(truncatingIfNeeded: time))
  }

  /// The token as text for a link: a letter and 75 letters, digits, `-` and `_`.
  public func text(code: Code) -> String {
    var statement = [Self.version]
    statement += (Self.bytes(of: incident) ?? []) + (Self.bytes(of: contact) ?? [])
    let time = UInt64(bitPattern: Int64(expiresAt.milliseconds))
    statement += stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: time >> $0) }
    return Base64URL.text(of: statement + code(statement).prefix(Self.codeBytes))
  }

  private static let digits = Array("0123456789abcdef".utf8)
  private static let dashes = [8, 13, 18, 23]

  /// The 16 bytes of a UUID; nil if the text is none.
  private static func bytes(of id: String) -> [UInt8]? {
    let text = Array(id.utf8)
    guard text.count == 36, dashes.allSatisfy({ text[$0] == UInt8(ascii: "-") }) else {
      return nil
    }
    let values = text.filter { $0 != UInt8(ascii: "-") }.compactMap { digits.firstIndex(of: $0) }
    guard values.count == 32 else { return nil }
    return stride(from: 0, to: 32, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
  }

  private static func text(of bytes: ArraySlice<UInt8>) -> String {
    var text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    for dash in dashes { text.insert(UInt8(ascii: "-"), at: dash) }
    return String(decoding: text, as: UTF8.self)
  }
}

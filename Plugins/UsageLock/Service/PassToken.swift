import Crypto
import FoundationEssentials
import KithWire
import LockContract

/// The tokens of emergency passes: a statement and its HMAC-SHA256, in base64url with a dot
/// between.
struct PassToken: Sendable {
  private static let prefix = Array("kith emergency pass 1".utf8)

  private let key: SymmetricKey

  init(_ secret: [UInt8]) { key = SymmetricKey(data: secret) }

  /// The token of a statement.
  func text(of statement: EmergencyPassStatement) throws -> String {
    let bytes = try statement.encoded()
    let code = HMAC<SHA256>.authenticationCode(for: Self.prefix + bytes, using: key)
    return "\(Self.text(bytes)).\(Self.text(Array(code)))"
  }

  /// The statement of a token; nil if it was not made with this secret.
  func statement(of token: String) -> EmergencyPassStatement? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(Self.bytes)
    guard parts.count == 2, let bytes = parts[0], let code = parts[1],
      HMAC<SHA256>.isValidAuthenticationCode(
        code, authenticating: Self.prefix + bytes, using: key)
    else { return nil }
    return try? EmergencyPassStatement(decoding: bytes)
  }

  private static func text(_ bytes: [UInt8]) -> String {
    String(
      Data(bytes).base64EncodedString().compactMap { character in
        switch character {
        case "+": "-"
        case "/": "_"
        case "=": nil
        default: character
        }
      })
  }

  private static func bytes(_ text: Substring) -> [UInt8]? {
    let plain = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
    let padding = String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
    return Data(base64Encoded: plain + padding).map(Array.init)
  }
}

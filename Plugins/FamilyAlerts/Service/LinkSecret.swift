import Crypto
import FamilyAlertsDomain
import FoundationEssentials

/// The secret that the tokens of links are made with.
struct LinkSecret: Sendable {
  private static let prefix = Array("kith acknowledgement 1".utf8)

  private let key: SymmetricKey

  init(_ bytes: [UInt8]) { key = SymmetricKey(data: bytes) }

  /// A secret of 256 random bits.
  static func fresh() -> [UInt8] {
    var random = SystemRandomNumberGenerator()
    return (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  /// A token as text for a link.
  func text(of token: AcknowledgementToken) -> String { token.text(code: code) }

  /// The token of a text; nil if it was not made with this secret.
  func token(_ text: String) -> AcknowledgementToken? { AcknowledgementToken(text, code: code) }

  /// HMAC-SHA256.
  private func code(of statement: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: Self.prefix + statement, using: key))
  }
}

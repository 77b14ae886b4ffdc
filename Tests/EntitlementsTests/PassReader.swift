import Crypto
import Foundation
import KithJSON

/// Reads a pass as a phone does: with the public key, and nothing else.
enum PassReader {
  /// What a pass says; nil if it is not signed by the key.
  static func claims(of token: String, key: [UInt8]) -> JSONValue? {
    let segments = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard segments.count == 3, let signature = bytes(segments[2]), let payload = bytes(segments[1]),
      let key = try? Curve25519.Signing.PublicKey(rawRepresentation: key),
      key.isValidSignature(signature, for: Data("\(segments[0]).\(segments[1])".utf8))
    else { return nil }
    return try? JSONValue(parsing: Array(payload))
  }

  /// Base64 of URLs, with one text for each value.
  private static func bytes(_ text: String) -> Data? {
    let standard = text.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - standard.count % 4) % 4)
    guard let data = Data(base64Encoded: standard + padding) else { return nil }
    let again = data.base64EncodedString().replacing("=", with: "")
    return again == standard ? data : nil
  }
}

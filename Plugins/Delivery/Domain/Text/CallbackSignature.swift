import Crypto

/// Signatures of what goes to, and comes from, other servers over HTTP.
public enum CallbackSignature {
  /// Whether Twilio has made a request: HMAC-SHA1 over the whole URL and the form's fields, sorted
  /// by name, each name followed by its value.
  public static func isTwilio(
    _ signature: String, url: String, form: [(name: String, value: String)], token: String
  ) -> Bool {
    var text = url
    for (name, value) in form.sorted(by: { ($0.name, $0.value) < ($1.name, $1.value) }) {
      text += name + value
    }
    let code = HMAC<Insecure.SHA1>.authenticationCode(
      for: Array(text.utf8), using: SymmetricKey(data: Array(token.utf8)))
    return isEqual(Base64Text.text(Array(code)), signature)
  }

  /// The value of the header by which a webhook's receiver knows the sender:
  /// `t=SECONDS,v1=HEX`, the HMAC-SHA256 over `SECONDS.BODY`.
  public static func webhook(_ body: [UInt8], at seconds: Int, secret: [UInt8]) -> String {
    let code = HMAC<SHA256>.authenticationCode(
      for: Array("\(seconds).".utf8) + body, using: SymmetricKey(data: secret))
    let hex = code.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count < 2 ? "0\(digits)" : digits
    }.joined()
    return "t=\(seconds),v1=\(hex)"
  }

  /// Compares in a time that does not tell where texts differ.
  private static func isEqual(_ left: String, _ right: String) -> Bool {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

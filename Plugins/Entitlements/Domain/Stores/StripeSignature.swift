import Crypto
public import KithTime

/// The signature of Stripe's webhooks: `t=SECONDS,v1=HEX`, with a `v1` for each secret that is in
/// use while one is replaced.
public enum StripeSignature {
  /// How far the time of a signature may be from now.
  public static let tolerance = Duration.seconds(300)

  /// Checks a body by the header that came with it.
  /// - Parameters:
  ///   - secrets: `whsec_...`, any of which may have signed it.
  ///   - now: what the clock shows.
  public static func check(
    _ body: [UInt8], header: String, secrets: [String], now: Instant
  ) throws(StatementProblem) {
    var (time, signatures): (Substring?, [Substring]) = (nil, [])
    guard header.utf8.count <= 4096 else {
      throw StatementProblem(.signature, "expected a header of up to 4096 bytes")
    }
    for part in header.split(separator: ",") {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard pair.count == 2 else { continue }
      let name = pair[0].drop { $0 == " " }
      if name == "t", time == nil { time = pair[1] }
      if name == "v1" { signatures.append(pair[1]) }
    }
    guard let time, let seconds = Int(time), time.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      (0...9_999_999_999).contains(seconds), (1...20).contains(signatures.count)
    else {
      throw StatementProblem(.signature, "expected a header such as t=SECONDS,v1=HEX")
    }
    let signed = Array("\(time).".utf8) + body
    let isSigned = signatures.contains { signature in
      guard let code = bytes(ofHex: signature) else { return false }
      return secrets.contains { secret in
        // Compares in a time that tells nothing.
        HMAC<SHA256>.isValidAuthenticationCode(
          code, authenticating: signed, using: SymmetricKey(data: Array(secret.utf8)))
      }
    }
    guard isSigned else { throw StatementProblem(.signature, "expected Stripe's signature") }
    let distance = now - Instant(seconds: seconds)
    guard distance <= tolerance, distance >= .zero - tolerance else {
      throw StatementProblem(.time, "it was signed more than five minutes from now")
    }
  }

  private static func bytes(ofHex text: Substring) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count == 64 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: 64, by: 2) {
      let pair = String(decoding: digits[index...index + 1], as: UTF8.self)
      guard !pair.contains("+"), !pair.contains("-"), let byte = UInt8(pair, radix: 16) else {
        return nil
      }
      bytes.append(byte)
    }
    return bytes
  }
}

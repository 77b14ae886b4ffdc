/// RFC 4648.
public enum Base64Text {
  private static let standard = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let urlSafe = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// Bytes with the alphabet of mail, and padding.
  public static func text(_ bytes: some Collection<UInt8>) -> String {
    encode(bytes, standard, isPadded: true)
  }

  /// Bytes with the alphabet of URLs, without padding, as tokens have them.
  public static func urlSafe(_ bytes: some Collection<UInt8>) -> String {
    encode(bytes, urlSafe, isPadded: false)
  }

  private static func encode(
    _ bytes: some Collection<UInt8>, _ alphabet: [UInt8], isPadded: Bool
  ) -> String {
    var text: [UInt8] = []
    var (buffer, bits): (UInt32, Int) = (0, 0)
    for byte in bytes {
      (buffer, bits) = (buffer << 8 | UInt32(byte), bits + 8)
      while bits >= 6 {
        bits -= 6
        text.append(alphabet[Int(buffer >> UInt32(bits) & 63)])
      }
    }
    if bits > 0 { text.append(alphabet[Int(buffer << UInt32(6 - bits) & 63)]) }
    while isPadded && text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
    return String(decoding: text, as: UTF8.self)
  }
}

/// Base64 for links, without padding (RFC 4648, section 5).
enum Base64URL {
  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  static func text(of bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    var (bits, count) = (0, 0)
    for byte in bytes {
      bits = (bits << 8 | Int(byte)) & 0xFFFF
      count += 8
      while count >= 6 {
        count -= 6
        text.append(digits[bits >> count & 63])
      }
    }
    if count > 0 { text.append(digits[bits << (6 - count) & 63]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a text; nil if it is not the one text of any bytes.
  static func bytes(of text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (bits, count) = (0, 0)
    for character in text.utf8 {
      guard let digit = digits.firstIndex(of: character) else { return nil }
      bits = (bits << 6 | digit) & 0xFFFF
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    return self.text(of: bytes) == text ? bytes : nil
  }
}

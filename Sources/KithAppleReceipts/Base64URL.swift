/// Base64 with the alphabet of URLs and without padding (RFC 4648, section 5), read strictly: each
/// value has one text.
enum Base64URL {
  /// The bytes of a text; nil for anything that an encoder would not have written.
  static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard text.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3 + 2)
    var (bits, count): (UInt32, Int) = (0, 0)
    for character in text {
      guard let value = value(of: character) else { return nil }
      bits = (bits << 6) | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    // What is left over must be zeros, or another text would be the same value.
    guard bits & ((1 << UInt32(count)) - 1) == 0 else { return nil }
    return bytes
  }

  private static func value(of character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}

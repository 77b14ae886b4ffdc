/// `application/x-www-form-urlencoded`.
public enum FormFields {
  /// Fields as a body.
  public static func encode(_ fields: [(name: String, value: String)]) -> String {
    fields.map { "\(escape($0.name))=\(escape($0.value))" }.joined(separator: "&")
  }

  /// The fields of a body; nil for what is none.
  public static func decode(_ body: [UInt8]) -> [(name: String, value: String)]? {
    guard let text = String(validating: body, as: UTF8.self) else { return nil }
    var fields: [(name: String, value: String)] = []
    for part in text.split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = unescape(pair[0]), let value = unescape(pair.count > 1 ? pair[1] : "")
      else { return nil }
      fields.append((name, value))
    }
    return fields
  }

  /// A text as a part of a URL.
  public static func escape(_ text: String) -> String {
    var escaped = ""
    for byte in text.utf8 {
      let character = Character(Unicode.Scalar(byte))
      if byte < 0x80, character.isLetter || character.isNumber || "-._~".contains(character) {
        escaped.append(character)
      } else {
        escaped += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return escaped
  }

  private static func unescape(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): bytes.append(0x20)
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst(), let low = rest.popFirst(),
          let value = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16)
        else { return nil }
        bytes.append(value)
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

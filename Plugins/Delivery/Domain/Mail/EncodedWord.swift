/// Texts in headers: as they are where RFC 5322 allows it, else as encoded words (RFC 2047).
enum EncodedWord {
  /// The bytes of a word's content, so that a word with its frame fits a line.
  private static let mostBytes = 42

  /// A text as a header's value. Control characters become blanks.
  /// - Parameters:
  ///   - column: how many bytes of the line are taken.
  ///   - isPhrase: whether it stands before an address, where more characters mean something.
  static func text(_ text: String, after column: Int, isPhrase: Bool = false) -> String {
    let clean = String(
      String.UnicodeScalarView(text.unicodeScalars.map { $0.isControl ? " " : $0 }))
    let isPlain = clean.utf8.allSatisfy {
      isPhrase
        ? ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x20
        : $0 >= 0x20 && $0 < 0x7F
    }
    // "=?" would be read as the beginning of an encoded word.
    if isPlain, !clean.contains("=?"), column + clean.utf8.count <= MailMessage.longestLine {
      return clean
    }
    var (words, bytes): ([String], [UInt8]) = ([], [])
    for character in clean.unicodeScalars {
      let more = Array(String(character).utf8)
      // A character is never parted: each word is decoded by itself.
      if bytes.count + more.count > mostBytes {
        words.append(word(bytes))
        bytes = []
      }
      bytes += more
    }
    if !bytes.isEmpty { words.append(word(bytes)) }
    // The first stands on a line of its own, so that the header's name takes nothing of it.
    return "\r\n " + words.joined(separator: "\r\n ")
  }

  private static func word(_ bytes: [UInt8]) -> String { "=?utf-8?B?\(Base64Text.text(bytes))?=" }

  /// A text as a part of an id: letters and digits that tell texts apart.
  static func token(_ text: String) -> String {
    text.utf8.prefix(24).map { byte in
      let hex = String(byte, radix: 16)
      return hex.count < 2 ? "0\(hex)" : hex
    }.joined()
  }
}

/// The text of an SMS: in which alphabet it goes, and in how many segments.
///
/// GSM 03.38: 160 characters in one segment, 153 in each of several; with any other character
/// UCS-2: 70 and 67 units of UTF-16.
public struct SMSText: Sendable, Hashable {
  /// How it is encoded.
  public enum Alphabet: String, Sendable, Hashable {
    /// The default alphabet of GSM, 7 bits a character.
    case gsm7
    /// UTF-16.
    case ucs2
  }

  /// The most segments that are sent.
  public static let mostSegments = 10

  /// The text.
  public let text: String
  /// How it is encoded.
  public let alphabet: Alphabet
  /// In how many segments it goes; 0 for an empty text.
  public let segments: Int

  private static let basic = Set(
    ("@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZ"
      + "ÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà").unicodeScalars)
  /// These take two characters: an escape before them.
  private static let extended = Set("\u{0C}^{}\\[~]|€".unicodeScalars)
  /// What typesetting puts in place of plain characters, and would halve what fits.
  private static let plain: [Unicode.Scalar: String] = [
    "\u{2018}": "'", "\u{2019}": "'", "\u{201A}": "'", "\u{201C}": "\"", "\u{201D}": "\"",
    "\u{201E}": "\"", "\u{2013}": "-", "\u{2014}": "-", "\u{2026}": "...", "\u{00A0}": " ",
    "\u{202F}": " ", "\u{2022}": "-", "\u{2032}": "'", "\u{2033}": "\"",
  ]

  /// A text, with plain quotes, dashes and blanks.
  public init(_ words: String) {
    var scalars = String.UnicodeScalarView()
    for scalar in words.unicodeScalars {
      if let plain = Self.plain[scalar] {
        scalars.append(contentsOf: plain.unicodeScalars)
      } else {
        scalars.append(scalar)
      }
    }
    text = String(scalars)
    let widths = scalars.map { Self.basic.contains($0) ? 1 : Self.extended.contains($0) ? 2 : 0 }
    if widths.allSatisfy({ $0 > 0 }) {
      alphabet = .gsm7
      segments = Self.count(widths, whole: 160, part: 153)
    } else {
      alphabet = .ucs2
      segments = Self.count(scalars.map { $0.value > 0xFFFF ? 2 : 1 }, whole: 70, part: 67)
    }
  }

  /// Segments of characters that are not parted.
  private static func count(_ widths: [Int], whole: Int, part: Int) -> Int {
    let total = widths.reduce(0, +)
    if total <= whole { return total == 0 ? 0 : 1 }
    var (segments, used) = (1, 0)
    for width in widths {
      if used + width > part { (segments, used) = (segments + 1, 0) }
      used += width
    }
    return segments
  }

  /// Why it is not sent; nil when it is.
  public var problem: String? {
    if segments == 0 { return "a text message is empty" }
    return segments > Self.mostSegments
      ? "a text message has \(segments) segments, of \(Self.mostSegments) at most" : nil
  }
}

/// What a text message costs and carries.
public enum ShortText {
  /// The characters of GSM 03.38 that take one place each.
  private static let basic = Set(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
      .unicodeScalars)
  /// Those that take two.
  private static let extended = Set("^{}\\[~]|€".unicodeScalars)
  private static let replaced: [Unicode.Scalar: String] = [
    "\u{2018}": "'", "\u{2019}": "'", "\u{201A}": ",", "\u{201B}": "'", "\u{201C}": "\"",
    "\u{201D}": "\"", "\u{201E}": "\"", "\u{2010}": "-", "\u{2011}": "-", "\u{2012}": "-",
    "\u{2013}": "-", "\u{2014}": "-", "\u{2026}": "...", "\u{00A0}": " ", "\u{202F}": " ",
    "\u{2009}": " ", "\u{00AB}": "\"", "\u{00BB}": "\"", "\u{2022}": "-", "\t": " ",
    "\u{00B4}": "'", "`": "'", "\r": " ", "\n": " ",
  ]

  /// A text on one line, without typographic quotes and dashes, which alone would halve what fits
  /// into a message.
  public static func plain(_ text: String) -> String {
    var plain = ""
    for scalar in text.unicodeScalars {
      if let other = replaced[scalar] {
        plain += other
      } else if scalar.properties.generalCategory != .control {
        plain.unicodeScalars.append(scalar)
      }
    }
    return plain
  }

  /// How many messages a text is sent as: of 160 characters of GSM 03.38, or 70 of UTF-16; of 153
  /// and 67 where there are several.
  public static func segments(of text: String) -> Int {
    var septets = 0
    for scalar in text.unicodeScalars {
      if basic.contains(scalar) {
        septets += 1
      } else if extended.contains(scalar) {
        septets += 2
      } else {
        let units = text.utf16.count
        return units <= 70 ? 1 : (units + 66) / 67
      }
    }
    return septets <= 160 ? 1 : (septets + 152) / 153
  }
}

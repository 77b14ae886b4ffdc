/// The ways in which senders hide words from filters, made by rule: the same text gives the same
/// disguise.
public enum Obfuscation: String, CaseIterable, Sendable {
  case zeroWidth = "zero_width"
  case softHyphen = "soft_hyphen"
  case fullWidth = "full_width"
  case homoglyphs
  case spacedLetters = "spaced_letters"
  case leet
  case mathematicalBold = "math_bold"
  case hiddenLinks = "hidden_links"
  case rightToLeft = "rtl_override"
  case splitByDots = "split_by_dots"
  case splitByHyphens = "split_by_hyphens"
  case emoji
  case upperCase = "upper_case"
  case missingSpaces = "missing_spaces"

  /// The text in its disguise. About half of the words of four letters and more are touched.
  public func applied(to text: String) -> String {
    var random = SplitMix(seed: TemplateFile.hash(rawValue + text))
    switch self {
    case .upperCase: return text.uppercased()
    case .hiddenLinks: return Self.hidingLinks(text)
    case .missingSpaces:
      return String(text.filter { $0 != " " || random.below(3) != 0 })
    default: break
    }
    var result = ""
    var word = ""
    func close(_ random: inout SplitMix) {
      if word.count >= 4, random.below(2) == 0 {
        result += disguised(word, &random)
      } else {
        result += word
      }
      word = ""
    }
    // The words of links stay: a changed link leads nowhere.
    for part in text.split(separator: " ", omittingEmptySubsequences: false) {
      if !result.isEmpty { result += " " }
      if part.contains("/") || part.contains("@") || part.dropLast().contains(".") {
        result += part
        continue
      }
      for character in part {
        if character.isASCII, character.isLetter {
          word.append(character)
        } else {
          close(&random)
          result.append(character)
        }
      }
      close(&random)
    }
    return result
  }

  private func disguised(_ word: String, _ random: inout SplitMix) -> String {
    let letters = Array(word)
    func joined(_ separator: String) -> String {
      letters.map(String.init).joined(separator: separator)
    }
    func split(_ separator: String, _ random: inout SplitMix) -> String {
      if random.below(2) == 0 { return joined(separator) }
      let at = 2 + random.below(letters.count - 3)
      return String(letters[..<at]) + separator + String(letters[at...])
    }
    switch self {
    case .zeroWidth: return joined("\u{200B}")
    case .softHyphen: return joined("\u{AD}")
    case .fullWidth: return Self.shifted(word, upper: 0xFF21, lower: 0xFF41)
    case .mathematicalBold: return Self.shifted(word, upper: 0x1D400, lower: 0x1D41A)
    case .homoglyphs: return String(letters.map { Self.lookalikes[$0] ?? $0 })
    case .spacedLetters: return joined(" ")
    case .leet: return String(letters.map { Self.leetSigns[$0] ?? $0 })
    case .rightToLeft:
      return "\u{202E}" + String(word.reversed()) + "\u{202C}"
    case .splitByDots: return split(".", &random)
    case .splitByHyphens: return split("-", &random)
    case .emoji:
      let sign = ["\u{1F381}", "\u{1F525}", "\u{2B50}", "\u{1F4B0}"][random.below(4)]
      return random.below(2) == 0 ? joined(sign) : word + sign
    case .hiddenLinks, .upperCase, .missingSpaces: return word
    }
  }

  private static let lookalikes: [Character: Character] = [
    "a": "\u{430}", "c": "\u{441}", "e": "\u{435}", "i": "\u{456}", "o": "\u{3BF}", "p": "\u{440}",
    "s": "\u{455}", "x": "\u{445}", "y": "\u{443}", "A": "\u{391}", "B": "\u{392}", "C": "\u{421}",
    "E": "\u{395}", "H": "\u{41D}", "I": "\u{406}", "K": "\u{39A}", "M": "\u{41C}", "N": "\u{39D}",
    "O": "\u{39F}", "P": "\u{420}", "S": "\u{405}", "T": "\u{422}", "X": "\u{425}", "Y": "\u{3A5}",
  ]

  private static let leetSigns: [Character: Character] = [
    "a": "@", "e": "3", "i": "1", "o": "0", "s": "5", "t": "7", "A": "4", "E": "3", "I": "1",
    "O": "0", "S": "$", "T": "7",
  ]

  private static func shifted(_ word: String, upper: UInt32, lower: UInt32) -> String {
    var result = String.UnicodeScalarView()
    for scalar in word.unicodeScalars {
      let base: UInt32? =
        switch scalar.value {
        case 0x41...0x5A: upper + scalar.value - 0x41
        case 0x61...0x7A: lower + scalar.value - 0x61
        default: nil
        }
      result.append(base.flatMap(Unicode.Scalar.init) ?? scalar)
    }
    return String(result)
  }

  private static func hidingLinks(_ text: String) -> String {
    text.split(separator: " ", omittingEmptySubsequences: false).map { part in
      guard part.contains("/") || part.dropLast().contains(".") else { return String(part) }
      var link = String(part).replacing("http://", with: "hxxp://").replacing(
        "https://", with: "hxxps://")
      if let dot = link.firstIndex(of: "."), link.index(after: dot) < link.endIndex,
        link[link.index(after: dot)].isLetter
      {
        link.replaceSubrange(dot...dot, with: "[.]")
      }
      return link
    }.joined(separator: " ")
  }
}

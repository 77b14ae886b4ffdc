/// Look-alikes of a domain by the fuzzers that dnstwist names, written anew, so that brands which
/// no list of permutations has can be tried.
struct Permutations {
  /// One permutation.
  struct Item {
    var fuzzer: String
    var domain: String
  }

  let label: [Character]
  let ending: String

  /// - Parameter domain: `label.ending`.
  init(of domain: String) {
    let dot = domain.firstIndex(of: ".") ?? domain.endIndex
    label = Array(domain[..<dot])
    ending = String(domain[dot...])
  }

  private static let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
  private static let neighbours: [Character: String] = [
    "1": "2q", "2": "3wq1", "3": "4ew2", "4": "5re3", "5": "6tr4", "6": "7yt5", "7": "8uy6",
    "8": "9iu7", "9": "0oi8", "0": "po9", "q": "12wa", "w": "3esaq2", "e": "4rdsw3", "r": "5tfde4",
    "t": "6ygfr5", "y": "7uhgt6", "u": "8ijhy7", "i": "9okju8", "o": "0plki9", "p": "lo0",
    "a": "qwsz", "s": "edxzaw", "d": "rfcxse", "f": "tgvcdr", "g": "yhbvft", "h": "ujnbgy",
    "j": "ikmnhu", "k": "olmji", "l": "kop", "z": "asx", "x": "zsdc", "c": "xdfv", "v": "cfgb",
    "b": "vghn", "n": "bhjm", "m": "njk",
  ]
  private static let glyphs: [Character: [String]] = [
    "a": ["à", "á", "â", "ã", "ä", "å", "ɑ", "ạ", "ă", "ą"], "b": ["d", "lb", "ʙ", "ɓ", "ḃ", "ḅ"],
    "c": ["e", "ƈ", "ċ", "ć", "ç", "č", "ĉ"], "d": ["b", "cl", "dl", "ɗ", "đ", "ď", "ɖ", "ḑ"],
    "e": ["c", "é", "è", "ê", "ë", "ē", "ĕ", "ě", "ė", "ẹ", "ę", "ȩ", "ḛ"], "f": ["ƒ", "ḟ"],
    "g": ["q", "ɢ", "ɡ", "ġ", "ğ", "ģ", "ĝ", "ǵ"], "h": ["lh", "ĥ", "ħ", "ɦ", "ḥ", "ḫ"],
    "i": ["1", "l", "í", "ì", "ï", "ı", "ɩ", "ǐ", "ĭ", "ỉ", "ị", "ɨ"], "j": ["ʝ", "ɉ"],
    "k": ["lk", "ik", "lc", "ḳ", "ḵ", "ķ"], "l": ["1", "i", "ɫ", "ł"],
    "m": ["n", "nn", "rn", "rr", "ṁ", "ṃ", "ɱ"], "n": ["m", "r", "ń", "ṅ", "ṇ", "ñ", "ņ", "ň"],
    "o": ["0", "ȯ", "ọ", "ỏ", "ơ", "ó", "ö", "ō"], "p": ["ƿ", "ƥ", "ṕ", "ṗ"],
    "q": ["g", "ʠ"], "r": ["ʀ", "ɼ", "ɽ", "ŕ", "ŗ", "ř", "ɾ"], "s": ["ś", "ș", "ş", "ṣ", "š", "ŝ"],
    "t": ["ţ", "ŧ", "ṫ", "ṭ", "ț", "ƫ"],
    "u": ["ᴜ", "ǔ", "ŭ", "ü", "ʉ", "ù", "ú", "û", "ũ", "ū", "ų"], "v": ["ṿ", "ⱱ", "ṽ"],
    "w": ["vv", "ŵ", "ẁ", "ẃ", "ẅ", "ẇ", "ẉ"], "x": ["ẋ", "ẍ"],
    "y": ["ʏ", "ý", "ÿ", "ŷ", "ƴ", "ȳ"],
    "z": ["ʐ", "ż", "ź", "ᴢ", "ƶ", "ẓ", "ẕ"],
  ]
  private static let cyrillic: [Character: Character] = [
    "a": "а", "b": "ь", "c": "с", "d": "ԁ", "e": "е", "g": "ԍ", "h": "һ", "i": "і", "j": "ј",
    "k": "к", "l": "ӏ", "m": "м", "o": "о", "p": "р", "q": "ԛ", "s": "ѕ", "t": "т", "v": "ѵ",
    "w": "ԝ", "x": "х", "y": "у",
  ]
  private static let words = [
    "account", "alert", "billing", "confirm", "customer", "delivery", "help", "login", "online",
    "pay", "payment", "refund", "secure", "security", "service", "signin", "support", "track",
    "update", "verify",
  ]
  private static let endings = [
    ".com", ".net", ".org", ".info", ".co", ".cc", ".xyz", ".top", ".shop", ".online", ".click",
    ".site", ".live", ".icu", ".vip",
  ]

  /// All permutations, each once.
  func all() -> [Item] {
    var seen: Set<String> = [String(label) + ending]
    var items: [Item] = []
    func add(_ fuzzer: String, _ name: String, _ under: String? = nil) {
      let domain = name + (under ?? ending)
      guard !name.isEmpty, !name.hasPrefix("-"), !name.hasSuffix("-"), seen.insert(domain).inserted
      else { return }
      items.append(Item(fuzzer: fuzzer, domain: domain))
    }
    func replacing(_ index: Int, _ text: String) -> String {
      String(label[..<index]) + text + String(label[(index + 1)...])
    }
    for letter in Self.letters { add("addition", String(label) + String(letter)) }
    for index in label.indices {
      guard let ascii = label[index].asciiValue else { continue }
      for bit in 0..<8 {
        let flipped = Character(UnicodeScalar(ascii ^ (1 << UInt8(bit))))
        if Self.letters.contains(flipped) || flipped == "-" {
          add("bitsquatting", replacing(index, String(flipped)))
        }
      }
    }
    if label.allSatisfy({ Self.cyrillic[$0] != nil }) {
      add("cyrillic", String(label.map { Self.cyrillic[$0] ?? $0 }))
    }
    for index in label.indices {
      for glyph in Self.glyphs[label[index]] ?? [] {
        add("homoglyph", replacing(index, glyph))
        for second in label.indices where second > index {
          for other in (Self.glyphs[label[second]] ?? []).filter({
            !$0.utf8.allSatisfy { $0 < 0x80 }
          }) {
            add(
              "homoglyph",
              String(label[..<index]) + glyph + String(label[(index + 1)..<second]) + other
                + String(label[(second + 1)...]))
          }
        }
      }
    }
    for index in label.indices.dropFirst() {
      add("hyphenation", String(label[..<index]) + "-" + String(label[index...]))
      add("subdomain", String(label[..<index]) + "." + String(label[index...]))
    }
    for index in label.indices {
      let near = Self.neighbours[label[index]] ?? ""
      for letter in near {
        if index > 0, index + 1 < label.count {
          add("insertion", replacing(index, String(letter) + String(label[index])))
          add("insertion", replacing(index, String(label[index]) + String(letter)))
        }
        add("replacement", replacing(index, String(letter)))
      }
      add("omission", replacing(index, ""))
      add("repetition", replacing(index, String([label[index], label[index]])))
      if index + 1 < label.count, label[index] != label[index + 1] {
        var swapped = label
        swapped.swapAt(index, index + 1)
        add("transposition", String(swapped))
      }
      if "aeiou".contains(label[index]) {
        for vowel in "aeiou" { add("vowel-swap", replacing(index, String(vowel))) }
      }
      if index >= 2, index + 1 < label.count {
        let plural = "sxz".contains(label[index]) ? "es" : "s"
        add("plural", replacing(index, String(label[index]) + plural))
      }
    }
    for word in Self.words {
      for name in [
        "\(String(label))-\(word)", "\(String(label))\(word)", "\(word)-\(String(label))",
        "\(word)\(String(label))",
      ] {
        add("dictionary", name)
      }
    }
    for other in Self.endings { add("tld-swap", String(label), other) }
    let last = ending.split(separator: ".").last.map(String.init) ?? ""
    for name in ["www\(String(label))", "www-\(String(label))", "\(String(label))\(last)"] {
      add("various", name)
    }
    add("various", "\(String(label))-\(last)", ".com")
    add("various", "\(String(label))\(last)", ".com")
    return items
  }
}

/// What a character stands for in a sentence: look-alikes of Latin letters are the letters that
/// they look like, so that neither a "no" hides behind a Cyrillic o nor an honest text fails for
/// one.
enum LetterShapes {
  /// What a character stands for.
  enum Shape: Equatable {
    /// Nothing: marks on letters, characters without width.
    case none
    case letters(String)
    case digit(Int)
    /// A number that stands alone: ½, ², ⑮.
    case number(String)
    case apostrophe
    /// A sign that says no: 🚫, ≠, letters that are struck through.
    case prohibition
    case dash
    /// What stands between words.
    case other
  }

  static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }

  static func shape(of scalar: Unicode.Scalar) -> Shape {
    let value = scalar.value
    switch value {
    case 0x61...0x7A: return .letters(String(scalar))
    case 0x41...0x5A: return .letters(String(Unicode.Scalar(UInt8(value + 0x20))))
    case 0x30...0x39: return .digit(Int(value - 0x30))
    case 0x27, 0x60, 0xB4, 0x2018, 0x2019, 0x02BC, 0x02B9, 0xFF07: return .apostrophe
    case 0x2D, 0x2010...0x2015, 0x2212, 0xFE63, 0xFF0D: return .dash
    case 0x21, 0x2260, 0xAC: return value == 0x21 ? .other : .prohibition
    // Full width, mathematical and enclosed letters.
    case 0xFF21...0xFF3A: return letter(value - 0xFF21)
    case 0xFF41...0xFF5A: return letter(value - 0xFF41)
    case 0x1D400...0x1D6A3: return letter((value - 0x1D400) % 26)
    case 0x24B6...0x24E9: return letter((value - 0x24B6) % 26)
    case 0x1F130...0x1F149: return letter(value - 0x1F130)
    case 0x1F150...0x1F169: return letter(value - 0x1F150)
    case 0x1F170...0x1F189: return letter(value - 0x1F170)
    case 0x1F1E6...0x1F1FF: return letter(value - 0x1F1E6)
    case 0x1D7CE...0x1D7FF: return .digit(Int(value - 0x1D7CE) % 10)
    // Marks that strike a letter through.
    case 0x0335...0x0338, 0x20D2, 0x20E0, 0x20E5...0x20E6: return .prohibition
    default: break
    }
    if prohibitions.contains(value) { return .prohibition }
    if let letters = lookAlikes[scalar] { return .letters(letters) }
    let properties = scalar.properties
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .spacingMark, .format: return .none
    case .control: return properties.isWhitespace ? .other : .none
    case .decimalNumber: return properties.numericValue.map { .digit(Int($0)) } ?? .other
    case .otherNumber, .letterNumber:
      guard let number = properties.numericValue else { return .other }
      return .number(Int(exactly: number).map { "\($0)" } ?? "0\(number)")
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .otherLetter, .modifierLetter:
      let lower = properties.lowercaseMapping
      if let first = lower.unicodeScalars.first, first != scalar {
        if case .letters(let letters) = shape(of: first) { return .letters(letters) }
      }
      return .letters(lower)
    default: return .other
    }
  }

  private static func letter(_ index: UInt32) -> Shape {
    .letters(String(Unicode.Scalar(UInt8(0x61 + index))))
  }

  /// No entry, crosses, thumbs down, a person that says no.
  private static let prohibitions: Set<UInt32> = [
    0x1F6AB, 0x26D4, 0x274C, 0x274E, 0x2716, 0x2717, 0x2718, 0x2715, 0x1F5D9, 0x1F44E, 0x1F645,
    0x1F6D1, 0x20E0, 0x1F196, 0x2209, 0x2204, 0x22AC, 0x2241, 0x2262,
  ]

  /// Letters of other alphabets and Latin letters with marks, by what they look like.
  private static let lookAlikes: [Unicode.Scalar: String] = {
    let rows: [(String, String)] = [
      ("àáâãäåāăąǎȁȃạảấầẩẫậắằẳẵặаαɑ", "a"), ("ḃḅƀьвβ", "b"), ("çćĉċčсϲ", "c"), ("ďđḋḍԁ", "d"),
      ("èéêëēĕėęěȅȇẹẻẽếềểễệеёєεҽ", "e"), ("ƒḟ", "f"), ("ĝğġģǧɡԍ", "g"), ("ĥħḣḥһнհ", "h"),
      ("ìíîïĩīĭįıǐȉȋỉịіїιɩɪⅰӏ", "i"), ("ĵјϳ", "j"), ("ķǩкκ", "k"), ("ĺļľŀłⅼ", "l"), ("ṁṃмⅿ", "m"),
      ("ñńņňŉǹṅṇпηո", "n"), ("òóôõöøōŏőǒọỏốồổỗộớờởỡợоοσօ", "o"), ("ṗрρ", "p"), ("ԛ", "q"),
      ("ŕŗřȑṙгᴦ", "r"), ("śŝşšșṡṣѕ", "s"), ("ţťŧțṫṭтτ", "t"), ("ùúûüũūŭůűųǔụủứừửữựυцս", "u"),
      ("ѵνⅴ", "v"), ("ŵẁẃẅẇѡωԝш", "w"), ("ẋхχⅹ", "x"), ("ýÿŷỳỵỷỹуүγ", "y"), ("źżžẓзᴢ", "z"),
      ("æ", "ae"), ("œ", "oe"), ("ß", "ss"), ("þ", "th"), ("ð", "d"), ("ﬁ", "fi"), ("ﬂ", "fl"),
      ("ﬀ", "ff"), ("ﬃ", "ffi"), ("ﬄ", "ffl"), ("ﬅﬆ", "st"),
    ]
    var table: [Unicode.Scalar: String] = [:]
    for (letters, latin) in rows {
      for scalar in letters.unicodeScalars { table[scalar] = latin }
    }
    return table
  }()
}

/// How an English word sounds, roughly: what a recogniser confuses has the same sound (`waste` and
/// `waist`, `more` and `moor`).
enum Sounds {
  /// The consonants of a word, with a mark where a vowel comes first.
  static func key(_ word: String) -> String {
    if let known = irregular[word] { return key(known) }
    let letters = Array(word)
    var key = ""
    var index = 0
    func next(_ offset: Int) -> Character? {
      index + offset < letters.count ? letters[index + offset] : nil
    }
    func add(_ sound: Character) {
      if key.last != sound { key.append(sound) }
    }
    if word.hasPrefix("kn") || word.hasPrefix("wr") || word.hasPrefix("gn") { index = 1 }
    while index < letters.count {
      let letter = letters[index]
      switch letter {
      case "a", "e", "i", "o", "u", "y": if index == 0 { add("a") }
      case "h", "w": if index == 0 { add(letter) }
      case "p" where next(1) == "h":
        add("f")
        index += 1
      case "g" where next(1) == "h":
        // "enough", but not "though": few sentences have the latter.
        add("f")
        index += 1
      case "c" where next(1) == "e" || next(1) == "i" || next(1) == "y": add("s")
      case "c", "q", "k": add("k")
      case "x":
        add("k")
        add("s")
      case "z": add("s")
      case "t" where next(1) == "h":
        add("θ")
        index += 1
      default: add(letter)
      }
      index += 1
    }
    return key
  }

  private static let irregular = [
    "thyme": "time", "eye": "i", "aye": "i", "enuf": "enough", "mower": "more", "moor": "more",
    "pleas": "please", "too": "to", "two": "to", "minuets": "minutes", "tyme": "time",
  ]
}

/// Words that stand for several: `I'm`, `don't`, `gimme`.
enum Contractions {
  /// The words of a piece, in full.
  static func expanded(_ piece: String) -> [String] {
    if let words = whole[piece] { return words }
    guard let mark = piece.lastIndex(of: "'") else { return [piece] }
    let (head, tail) = (String(piece[..<mark]), String(piece[piece.index(after: mark)...]))
    if tail == "t", head.hasSuffix("n") {
      // can't, won't and shan't have lost more letters than one.
      let verb = ["ca": "can", "wo": "will", "sha": "shall"]
      let stem = String(head.dropLast())
      return expanded(verb[stem] ?? stem) + ["not"]
    }
    if let word = endings[tail] { return expanded(head) + [word] }
    // "o'clock", "please'": the mark says nothing.
    return [piece.filter { $0 != "'" }].filter { !$0.isEmpty }
  }

  private static let endings = [
    "m": "am", "re": "are", "ve": "have", "ll": "will", "d": "would", "s": "is",
  ]

  /// As recognisers write them without the mark.
  private static let whole: [String: [String]] = {
    var words: [String: [String]] = [
      "im": ["i", "am"], "ime": ["i", "am"], "aim": ["i", "am"], "gimme": ["give", "me"],
      "cannot": ["can", "not"], "cant": ["can", "not"], "wont": ["will", "not"],
      "aint": ["am", "not"], "ain't": ["am", "not"], "amnt": ["am", "not"],
      "shant": ["shall", "not"],
      "pls": ["please"], "plz": ["please"], "u": ["you"], "dunno": ["do", "not", "know"],
      "an'": ["and"], "ill": ["i", "will"],
      "ive": ["i", "have"], "wanna": ["want", "to"], "gonna": ["going", "to"],
    ]
    for verb in [
      "do", "does", "did", "is", "are", "was", "were", "has", "have", "had", "would", "could",
      "should", "must", "need", "might",
    ] { words[verb + "nt"] = [verb, "not"] }
    return words
  }()
}

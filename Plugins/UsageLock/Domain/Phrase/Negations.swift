/// Words that turn a sentence into its opposite, weaken it or take it back. None may be in an
/// answer that is not in the sentence, however many letters it has.
enum Negations {
  private static let words: Set<String> = [
    "not", "no", "nor", "never", "none", "nothing", "nobody", "neither", "nowhere", "nope", "nah",
    "nay", "non", "nt", "without", "hardly", "barely", "scarcely", "rarely", "seldom", "unless",
    "except", "until", "instead", "rather", "less", "fewer", "least", "minus", "anti", "knot",
    "nought", "naught", "nott", "noot", "noy", "nit", "knott", "nawt", "nowt", "nver", "nevr",
    "neva", "never", "nvr", "smart", "clever", "wise", "intelligent", "brilliant", "bright",
    "sensible", "stop", "quit", "cancel", "refuse", "reject", "decline", "deny", "doubt", "false",
    "untrue", "wrong", "lie", "lying", "joke", "joking", "kidding", "kid", "jk", "sarcasm",
    "forget", "ignore", "disagree", "dislike", "opposite", "contrary", "fail", "lack", "lacking",
    "far", "too", "if", "nein", "nicht", "nie", "kein", "jamais", "pas", "nunca", "jamas", "нет",
    "не",
  ]

  /// Negations that need not be a word of their own: `notstupid`, `stupidnot`.
  private static let glued =
    ["no", "nt", "un", "in", "dis"] + words.filter { $0.utf8.count >= 3 }

  /// Whether a word is one.
  static func contains(_ word: String) -> Bool { words.contains(word) }

  /// Whether a word is one of these with a negation glued to it: `unstupid`, `amnot`, `notenough`.
  static func isGlued(_ word: String, to known: Set<String>) -> Bool {
    guard !known.contains(word) else { return false }
    return glued.contains { negation in
      (word.hasPrefix(negation) && known.contains(String(word.dropFirst(negation.count))))
        || (word.hasSuffix(negation) && known.contains(String(word.dropLast(negation.count))))
    }
  }

  /// Whether neighbours that the sentence has not are a negation when they are put together:
  /// `n o t`, `ne ver`.
  static func isSpelled(by words: some Sequence<String>) -> Bool {
    let all = words.joined()
    return ["not", "never", "none", "cannot"].contains { all.contains($0) }
  }
}

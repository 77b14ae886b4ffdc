/// Words and pieces that a recogniser writes for a word that sounds the same.
enum Homophones {
  /// By the word that is meant.
  static let of: [String: Set<String>] = [
    "to": ["2", "too", "two", "tu", "t", "da"], "i": ["eye", "aye", "ay", "ey"],
    "am": ["m", "em", "ham"], "for": ["4", "four", "fore"], "time": ["thyme", "tyme"],
    "waste": ["waist", "wasted", "wasting", "waste's"], "more": ["moor", "moore", "mower", "mor"],
    "please": ["pleas", "pleased", "police", "peas", "plea's"], "give": ["gave", "gimme", "gif"],
    "me": ["mi", "mee", "knee"], "enough": ["enuf", "anough", "inough", "enoff", "nuff", "anuff"],
    "another": ["nother", "anudder", "anutha", "anothers"],
    "minutes": ["minute", "min", "mins", "minuets", "minutess", "minnits", "minits"],
    "stupid": ["stoopid", "stupit", "cupid", "stupider", "stewpid", "stewpit", "stupids"],
    "you": ["ewe"], "your": ["youre"], "our": ["hour"], "by": ["buy", "bye"], "be": ["bee", "b"],
    "are": ["r"], "see": ["sea", "c"], "one": ["won"], "hour": ["our"],
  ]
}

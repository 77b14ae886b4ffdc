/// Words that change nothing where they stand beside a sentence: sounds, greetings, and small words
/// that recognisers hear in a pause.
enum Fillers {
  private static let words: Set<String> = [
    "a", "ah", "all", "alright", "an", "and", "as", "eh", "em", "er", "erm", "hey", "hi", "hm",
    "hmm", "hello", "huh", "in", "it", "just", "kith", "like", "lockr", "mm", "mmm", "my", "now",
    "of", "oh", "ok", "okay", "please", "really", "right", "so", "some", "thank", "thanks",
    "that", "the", "this", "uh", "uhm", "um", "very", "well", "yeah", "yes", "yep", "you", "to",
    "is", "at", "h", "e", "s", "then", "mhm", "pretty",
  ]

  /// Words that carry little of a sentence's meaning: none of them is required.
  private static let light: Set<String> = [
    "a", "am", "an", "and", "are", "as", "at", "be", "by", "do", "for", "from", "give", "have",
    "i", "in", "is", "it", "me", "my", "of", "on", "or", "our", "so", "some", "that", "the",
    "their", "this", "to", "us", "was", "we", "will", "with", "you", "your",
  ]

  /// Whether a word changes nothing.
  static func contains(_ word: String) -> Bool { words.contains(word) }

  /// Whether a word of a sentence need not be heard.
  static func isLight(_ word: String) -> Bool { light.contains(word) }
}

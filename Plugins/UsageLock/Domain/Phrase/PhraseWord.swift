/// A word that can be compared.
struct PhraseWord: Sendable, Hashable {
  /// Its letters in lower case, or its digits.
  let text: String
  /// Whether it is a number; only the same number is equal to it.
  let isNumber: Bool

  /// A word, or a number where it has digits.
  init(_ text: String) {
    self.text = text
    isNumber = text.utf8.first.map { (0x30...0x39).contains($0) } ?? false
  }

  /// Whether it turns what is said into its opposite, or takes it back.
  var isNegation: Bool { Negations.contains(text) }
}

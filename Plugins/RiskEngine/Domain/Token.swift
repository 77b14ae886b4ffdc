/// One word of a text, or what stands for one: a number, a sum of money, a telephone number, a link.
struct Token {
  /// What the token is.
  enum Kind: UInt8 {
    case word, number, code, money, phone, email, link
  }

  /// The normalised scalars it covers.
  var range: Range<Int>
  var kind: Kind
  /// Its number in the lexicon; 0 when the rules do not know it.
  var word: Int
}

/// A text as words, with the links and disguises seen on the way.
struct TokenizedText {
  var tokens: [Token] = []
  var links: [Link] = []
  var findings: [Finding] = []
}

/// One word of a text, or what stands for one: a number, a sum of money, a telephone number, a
/// link.
struct Token {
  /// What the token is.
  enum Kind: UInt8 {
    case word, number, code, money, phone, email, link
  }

  /// How the letters of a word are written.
  enum Form: UInt8 {
    /// As they are read.
    case plain
    /// Digits and signs stand for letters, `1` for `i`.
    case leet
    /// The same, `1` for `l`.
    case leetWithL
    /// Spaces, dots or pictures stand between the letters.
    case apart
    /// From the last to the first, behind an override of the direction.
    case reversed
  }

  /// The normalised scalars it covers.
  var range: Range<Int>
  var kind: Kind
  var form = Form.plain
  /// Its number in the lexicon; 0 when the rules do not know it.
  var word: Int
}

/// A text as words, with the links and disguises seen on the way.
struct TokenizedText {
  var tokens: [Token] = []
  var links: [Link] = []
  var findings: [Finding] = []
  /// How many scalars were looked at, each as often as it was: a measure of the work that no clock
  /// makes.
  var work = 0
}

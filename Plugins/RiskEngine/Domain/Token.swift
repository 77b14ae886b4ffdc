/// One word of a text, or what stands for one: a number, a sum of money, a telephone number, a link.
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
  /// How many scalars were looked at, each as often as it was: a measure of the work that no clock makes.
  var work = 0
}

/// A link as it was found.
struct Link {
  /// What is known of it.
  struct Traits: OptionSet {
    let rawValue: UInt32
    static let scheme = Traits(rawValue: 1 << 0)
    static let short = Traits(rawValue: 1 << 1)
    static let address = Traits(rawValue: 1 << 2)
    static let user = Traits(rawValue: 1 << 3)
    static let suspiciousTopLevel = Traits(rawValue: 1 << 4)
    static let lookalike = Traits(rawValue: 1 << 5)
    static let brandElsewhere = Traits(rawValue: 1 << 6)
    static let obfuscated = Traits(rawValue: 1 << 7)
    static let foreignScript = Traits(rawValue: 1 << 8)
    static let official = Traits(rawValue: 1 << 9)
    static let agency = Traits(rawValue: 1 << 10)
    static let popular = Traits(rawValue: 1 << 11)
    static let freeHost = Traits(rawValue: 1 << 12)
    static let nested = Traits(rawValue: 1 << 13)
    static let deep = Traits(rawValue: 1 << 14)

    private static let names: [(Link.Traits, Observation)] = [
      (.short, .linkShort), (.address, .linkAddress), (.user, .linkUser),
      (.suspiciousTopLevel, .linkSuspiciousTopLevel), (.lookalike, .linkLookalike),
      (.brandElsewhere, .linkBrandElsewhere), (.obfuscated, .linkObfuscated),
      (.foreignScript, .linkForeignScript), (.official, .linkOfficial), (.agency, .linkAgency),
      (.popular, .linkPopular), (.freeHost, .linkFreeHost), (.nested, .linkNested),
      (.deep, .linkDeep),
    ]

    /// What rules call them.
    var observations: [Observation] {
      Self.names.filter { contains($0.0) }.map(\.1) + (isUnknown ? [.linkUnknown] : [])
    }

    /// Whether nothing is known of where it leads.
    var isUnknown: Bool {
      isDisjoint(with: [.short, .official, .agency, .popular, .freeHost])
    }
  }

  /// The token that stands for it.
  var token: Int
  /// Host as ASCII, lower case; a scalar that is not ASCII is `?`.
  var host: [UInt8]
  /// Where the last label of the host starts.
  var topLevelStart: Int
  var hasPath: Bool
  var traits: Traits
}
